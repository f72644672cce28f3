//! Clouds, infrastructure, clusters, secret stores.

mod machines;

use super::table::{Program, judge};
use super::{Handler, effect};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::place;
use crate::policy;

static PROGRAMS: &[Program] = &[
    Program {
        names: &["aws", "awslocal"],
        destroys: "delete-* rb s3/rm terminate-* purge-* deregister-* s3api/delete* modify-db-instance stop-* cancel-* reboot-* disassociate-* revoke-* schedule-key-deletion detach-* batch-delete-* empty remove-* disable-* reset-*",
        secrets: "configure/get configure/export-credentials secretsmanager/get-secret-value ssm/get-parameter* sts/get-session-token sts/assume-role* iam/create-access-key ecr/get-login-password codeartifact/get-authorization-token eks/get-token kms/decrypt sso/get-role-credentials",
        safe: "sts/get-caller-identity s3/ls s3/presign configure/list wait help filter-log-events head-* cloudformation/validate-template cloudformation/detect* query scan batch-get-* lookup-* simulate-* configservice/select* estimate*",
        publishes: "",
    },
    // Clouds and services whose every verb works on what is shared.
    Program {
        names: overnight_base::words!(
            "gcloud az gsutil bq oci ibmcloud aliyun tccli doctl linode-cli hcloud scw vultr-cli \
             openstack yc exo civo upctl kubeadm stripe algolia auth0 okta twilio sentry-cli \
             datadog-ci newrelic contentful cloudflare flarectl pscale neon atlas-cli mongocli \
             ccloud databricks snow dagster-cloud prefect wandb huggingface-cli hf kaggle \
             replicate modal runpodctl vastai buildkite-agent circleci travis drone \
             woodpecker-cli jenkins-cli launchdarkly ldcli pagerduty pd slack jira linear trello \
             glooctl rosa ovhcloud hetzner-cloud equinix metal ionosctl"
        ),
        destroys: "delete delete* *-delete env:unset secrets/unset secrets:unset env/rm job/stop database/drop data/clear delete_* del delete-batch *:delete *:destroy destroy destroy-* apps:destroy pg:reset pg:killall pg:copy apps:delete addons:destroy remove remove-* rm rb unlink terminate purge wipe drop reset db/reset uninstall prune firestore:delete database:remove hosting:disable functions:delete projects:delete auth:delete undeploy abandon obliterate stack/rm stop-* teardown down kill poweroff undefine vol-delete shutdown unregistervm --delete maintenance:on ps:stop ps:scale container:rm keys:clear keys:remove domains:clear config:unset releases:rollback pipelines:destroy purge-deleted storage:reset build/-force force-unlock wipe -wipe mv-all",
        secrets: "auth/print-access-token auth/print-identity-token auth/application-default/print-access-token secrets/versions/access account/get-access-token keyvault/secret/show keys/list config:get auth:token login:ci secrets/list-values secret/get env/pull config:export keys/list get-credentials/--raw",
        safe: "config/list config/get-value config/get auth/list auth/status account/show account/list projects/list version regions zones -n help query/--dry_run lint validate config/validate config/process local/execute storage/ls storage/cat download listen samples/list fixtures preview bicep/build",
        publishes: "deploy publish release",
    },
    Program {
        names: overnight_base::words!(
            "heroku fly flyctl vercel now netlify ntl railway render supabase firebase wrangler \
             cf eb sam cdk copilot amplify pulumi serverless sls sst chalice zappa up dokku \
             kamal cap okteto skaffold tilt garden nomad consul waypoint boundary turso neonctl \
             koyeb cdktf packer vagrant ansible knife chef-client chef-solo chef puppet salt \
             salt-call salt-ssh juju multipass lxc incus virsh VBoxManage qm pct ctl eksctl kops \
             rancher rke talosctl velero argo flux istioctl linkerd minikube kind k3d k3s \
             microk8s colima lima limactl nixops colmena deploy-rs appwrite nhost convex expo \
             eas shopify sanity cloudflared ngrok localtunnel lt s3cmd s4cmd s5cmd mc mcli b2 \
             azcopy ossutil ossutil64 coscmd coscli obsutil qshell minio-client aws-nuke \
             cloud-nuke gcloud-nuke jf jfrog cloudsmith fury dep mina appcenter resticprofile \
             crane oras regctl cosign ko imgpkg planetscale confluent neo4j-admin edgedb gel \
             bosh tkn crossplane"
        ),
        destroys: "delete delete* *-delete env:unset secrets/unset secrets:unset env/rm job/stop database/drop data/clear delete_* del delete-batch *:delete *:destroy destroy destroy-* apps:destroy pg:reset pg:killall pg:copy apps:delete addons:destroy remove remove-* rm rb unlink terminate purge wipe drop reset db/reset uninstall prune firestore:delete database:remove hosting:disable functions:delete projects:delete auth:delete undeploy abandon obliterate stack/rm stop-* teardown down kill poweroff undefine vol-delete shutdown unregistervm --delete maintenance:on ps:stop ps:scale container:rm keys:clear keys:remove domains:clear config:unset releases:rollback pipelines:destroy purge-deleted storage:reset build/-force force-unlock wipe -wipe mv-all",
        secrets: "auth/print-access-token auth/print-identity-token auth/application-default/print-access-token secrets/versions/access account/get-access-token keyvault/secret/show keys/list config:get auth:token login:ci secrets/list-values secret/get env/pull config:export",
        safe: "^offline verify manifest digest catalog config/list config/get-value config/get config/set auth/list auth/status account/show account/list projects/list preview synth synthesize diff build local invoke-local emulators:start emulators:exec start dev serve check link lint fmt format test init new generate types gen logs cat functions:log config apps apps:info releases ps pg:info pg:ps status validate inspect console version regions zones -n help db/diff db/lint migration/new migration/list functions/serve functions/new",
        publishes: "deploy publish release hosting:channel:deploy container:release",
    },
    Program {
        names: &["terraform", "tofu", "terragrunt", "opentofu"],
        destroys: "destroy force-unlock state/rm state/mv state/push state/replace-provider workspace/delete run-all/destroy taint apply-all destroy-all",
        secrets: "state/pull output/-json",
        safe: "fmt init validate plan show output version providers graph state/list state/show workspace/list workspace/show workspace/new workspace/select test console get metadata hclfmt run-all/plan modules",
        publishes: "",
    },
    Program {
        names: overnight_base::words!(
            "ansible-playbook ansible-pull ansible-galaxy ansible-lint ansible-inventory \
             ansible-doc ansible-config"
        ),
        destroys: "",
        secrets: "",
        safe: "collection/install role/install init list search",
        publishes: "publish",
    },
    Program {
        names: overnight_base::words!(
            "kubectl oc k k9s kubens kubectx kustomize stern k3s-kubectl"
        ),
        destroys: "^delete ^drain ^evict ^replace/--force ^scale ^debug ^taint ^cordon delete-* ^prune rollout/undo",
        secrets: "get/secret get/secrets get/secret/* view-secret config/view/--raw create/token get/secret* ",
        safe: "^get ^describe ^logs ^explain ^version ^api-resources ^api-versions ^cluster-info ^top ^diff ^events ^wait auth/can-i config/view config/get-contexts config/current-context config/get-clusters rollout/status rollout/history ^kustomize ^build ^port-forward ^options ^completion ^plugin ^convert ^neat ^tree ^whoami ^projects ^status",
        publishes: "",
    },
    Program {
        names: &["helm", "helmfile", "argocd", "werf"],
        destroys: "uninstall delete del un rollback destroy plugin/uninstall",
        secrets: "get/values-secret",
        safe: "list ls status get show template lint version repo repo/update search dependency/update dependency dep/update dep pull package env history test verify ^create plugin/list diff app/list app/get app/diff build deps ^diff ^template ^lint",
        publishes: "push",
    },
    Program {
        names: &["chezmoi"],
        destroys: "purge destroy forget",
        secrets: "secret",
        safe: "managed unmanaged data source-path dump target-path archive execute-template",
        publishes: "",
    },
    Program {
        names: overnight_base::words!(
            "vault op bw pass gopass lpass doppler infisical chamber sops ansible-vault security \
             secret-tool keyring keepassxc-cli aws-vault teller berglas ejson gpg gpg2 age \
             cmdkey kwallet-query git-credential-manager pinentry credstash akeyless conjur \
             dashlane-cli dcli"
        ),
        destroys: "delete destroy kv/delete kv/destroy kv/metadata/delete secrets/disable token/revoke lease/revoke operator/* --delete-secret-keys --delete-keys rm remove policy/delete auth/disable delete-keychain delete-generic-password secrets/delete",
        secrets: "read kv/get get search show item/get find-generic-password find-internet-password dump-keychain export item vault/export list/items lookup secrets secrets/get secrets/download decrypt -d --decrypt token/lookup token/create unwrap ls-values view edit exec print-env insert generate otp clip --export-secret-keys read-password cat list-passwords export-secret-keys unlock find-certificate",
        safe: "status version help list ls git login-status --list-keys --verify verify",
        publishes: "",
    },
];

pub(super) fn by_form(name: &str) -> Option<Handler> {
    PROGRAMS
        .iter()
        .any(|program| program.names.contains(&name))
        .then_some(by_table as Handler)
}

/// Judges by the program's row.
pub(super) fn by_table(machine: &mut Machine<'_>, call: &Call) -> Data {
    let Some(program) = PROGRAMS
        .iter()
        .find(|program| program.names.contains(&call.name.as_str()))
    else {
        return Data::unknown();
    };
    let args = call.args();
    uploads_secrets(machine, args);
    if special(machine, call) {
        return Data::unknown();
    }
    judge(machine, call, program);
    let secret = program.names.contains(&"vault");
    if secret {
        Data::from_secrets()
    } else {
        Data::from_network()
    }
}

/// Is the option given, with or without a value?
fn given(args: &[String], name: &str) -> bool {
    args.iter().any(|arg| {
        arg.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })
}

/// Files of secrets that are uploaded.
fn uploads_secrets(machine: &mut Machine<'_>, args: &[String]) {
    for arg in args {
        let path = arg
            .strip_prefix("file://")
            .or_else(|| arg.strip_prefix("fileb://"))
            .unwrap_or(arg);
        if !path.contains("://")
            && place::secret(super::roughly(machine, path))
            && (path.contains('/') || path.starts_with('.'))
        {
            effect(machine, &policy::EXFILTRATE, arg);
        }
    }
}

/// What no row can say. True: nothing more to judge.
fn special(machine: &mut Machine<'_>, call: &Call) -> bool {
    let args = call.args();
    let flag = |name: &str| given(args, name);
    if machines::reached(machine, call) {
        return true;
    }
    match call.name.as_str() {
        "pulumi" if flag("--show-secrets") => {
            effect(machine, &policy::READ_CREDENTIALS, "pulumi --show-secrets");
        }
        "gpg" | "gpg2" | "age" | "sops"
            if flag("-d")
                || flag("--decrypt")
                || flag("--export-secret-keys")
                || flag("--export-secret-subkeys") =>
        {
            effect(machine, &policy::READ_CREDENTIALS, &call.name);
        }
        "gpg" | "gpg2" if flag("--verify") || flag("--list-keys") || flag("-k") => {
            return true;
        }
        "terraform" | "tofu" | "terragrunt" => terraform(machine, args),
        "heroku" if args.first().is_some_and(|verb| verb == "config") => {
            effect(machine, &policy::READ_CREDENTIALS, "heroku config");
        }
        "vercel" | "now" if args.iter().all(|arg| arg.starts_with('-')) && !flag("--version") => {
            effect(machine, &policy::PUBLISH, "vercel");
        }
        "aws-nuke" | "cloud-nuke" | "gcloud-nuke" if !flag("--version") => {
            effect(machine, &policy::DESTROY, &call.name);
        }
        "helm" if args.first().is_some_and(|verb| verb == "rollback") => {
            effect(machine, &policy::CHANGE, "helm rollback");
        }
        "ansible-lint" | "ansible-inventory" | "ansible-doc" | "ansible-config" => {
            return true;
        }
        "ansible-playbook"
            if flag("--syntax-check")
                || flag("--list-tasks")
                || flag("--list-hosts")
                || flag("-C") =>
        {
            return true;
        }
        "ansible" | "salt" | "salt-call" | "salt-ssh" | "knife" | "chef-client" | "chef-solo"
        | "puppet" | "packer" => machines::fleets(machine, call),
        "kubectl" | "oc" | "k" => kubernetes(machine, call),
        "kubectx" if flag("-d") || flag("--delete") => {
            effect(machine, &policy::DESTROY, "kubectx -d");
        }
        "kubens" | "kubectx" | "k9s" | "stern" | "kustomize" => return true,
        _ => {}
    }
    false
}

fn terraform(machine: &mut Machine<'_>, args: &[String]) {
    let flag = |name: &str| given(args, name);
    let verb = args.first().map_or("", String::as_str);
    let applies = verb == "apply" && (flag("-auto-approve") || flag("--auto-approve"));
    if (flag("-destroy") || applies) && verb != "plan" {
        effect(machine, &policy::DESTROY, "terraform");
    } else if flag("-json") && verb == "output" {
        effect(machine, &policy::READ_SECRETS, "terraform output -json");
    }
}

fn kubernetes(machine: &mut Machine<'_>, call: &Call) {
    let args = call.args();
    let flag = |name: &str| given(args, name);
    if args
        .first()
        .is_some_and(|verb| verb == "exec" || verb == "rsh" || verb == "run")
    {
        super::wrappers::scan(machine, call);
    }
    if args.first().is_some_and(|verb| verb == "replace") && flag("--force") && !flag("--dry-run") {
        effect(machine, &policy::DESTROY, "kubectl replace --force");
    }
    if flag("--raw") && args.iter().any(|arg| arg == "config") {
        effect(
            machine,
            &policy::READ_CREDENTIALS,
            "kubectl config view --raw",
        );
    }
}

#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().flat_map(|program| program.names).copied()
}
