//! Clouds, infrastructure, clusters, secret stores.

mod machines;

use super::table::{NONE, Program, judge};
use super::{Handler, effect, options};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::names::one_of;
use crate::{place, policy, table};

/// Verbs that take something away, in most clouds and services.
const DESTROYS: &str = "delete delete* *-delete env:unset secrets/unset secrets:unset env/rm job/stop database/drop data/clear delete_* del delete-batch *:delete *:destroy destroy destroy-* apps:destroy pg:reset pg:killall pg:copy apps:delete addons:destroy remove remove-* rm rb unlink terminate purge wipe drop reset db/reset uninstall prune firestore:delete database:remove hosting:disable functions:delete projects:delete auth:delete undeploy abandon obliterate stack/rm stop-* teardown down kill poweroff undefine vol-delete shutdown unregistervm --delete maintenance:on ps:stop ps:scale container:rm keys:clear keys:remove domains:clear config:unset releases:rollback pipelines:destroy purge-deleted storage:reset build/-force force-unlock wipe -wipe mv-all";

static PROGRAMS: &[Program] = &[
    Program {
        names: "aws awslocal",
        destroys: "delete-* rb s3/rm terminate-* purge-* deregister-* s3api/delete* modify-db-instance stop-* cancel-* reboot-* disassociate-* revoke-* schedule-key-deletion detach-* batch-delete-* empty remove-* disable-* reset-*",
        secrets: "configure/get configure/export-credentials secretsmanager/get-secret-value ssm/get-parameter* sts/get-session-token sts/assume-role* iam/create-access-key ecr/get-login-password codeartifact/get-authorization-token eks/get-token kms/decrypt sso/get-role-credentials",
        safe: "sts/get-caller-identity s3/ls s3/presign configure/list wait help filter-log-events head-* cloudformation/validate-template cloudformation/detect* query scan batch-get-* lookup-* simulate-* configservice/select* estimate*",
        ..NONE
    },
    // Clouds and services whose every verb works on what is shared.
    Program {
        names: "gcloud az gsutil bq oci ibmcloud aliyun tccli doctl linode-cli hcloud scw vultr-cli \
             openstack yc exo civo upctl kubeadm stripe algolia auth0 okta twilio sentry-cli \
             datadog-ci newrelic contentful cloudflare flarectl pscale neon atlas-cli mongocli \
             ccloud databricks snow dagster-cloud prefect wandb huggingface-cli hf kaggle \
             replicate modal runpodctl vastai buildkite-agent circleci travis drone \
             woodpecker-cli jenkins-cli launchdarkly ldcli pagerduty pd slack jira linear trello \
             glooctl rosa ovhcloud hetzner-cloud equinix metal ionosctl",
        destroys: DESTROYS,
        secrets: "auth/print-access-token auth/print-identity-token auth/application-default/print-access-token secrets/versions/access account/get-access-token keyvault/secret/show keys/list config:get auth:token login:ci secrets/list-values secret/get env/pull config:export keys/list get-credentials/--raw",
        safe: "config/list config/get-value config/get auth/list auth/status account/show account/list projects/list version regions zones -n help query/--dry_run lint validate config/validate config/process local/execute storage/ls storage/cat download listen samples/list fixtures preview bicep/build",
        publishes: "deploy publish release",
    },
    Program {
        names: "heroku fly flyctl vercel now netlify ntl railway render supabase firebase wrangler \
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
             bosh tkn crossplane",
        destroys: DESTROYS,
        secrets: "auth/print-access-token auth/print-identity-token auth/application-default/print-access-token secrets/versions/access account/get-access-token keyvault/secret/show keys/list config:get auth:token login:ci secrets/list-values secret/get env/pull config:export",
        safe: "^offline verify manifest digest catalog config/list config/get-value config/get config/set auth/list auth/status account/show account/list projects/list preview synth synthesize diff build local invoke-local emulators:start emulators:exec start dev serve check link lint fmt format test init new generate types gen logs cat functions:log config apps apps:info releases ps pg:info pg:ps status validate inspect console version regions zones -n help db/diff db/lint migration/new migration/list functions/serve functions/new",
        publishes: "deploy publish release hosting:channel:deploy container:release",
    },
    Program {
        names: "terraform tofu terragrunt opentofu",
        destroys: "destroy force-unlock state/rm state/mv state/push state/replace-provider workspace/delete run-all/destroy taint apply-all destroy-all",
        secrets: "state/pull output/-json",
        safe: "fmt init validate plan show output version providers graph state/list state/show workspace/list workspace/show workspace/new workspace/select test console get metadata hclfmt run-all/plan modules",
        ..NONE
    },
    Program {
        names: "ansible-playbook ansible-pull ansible-galaxy ansible-lint ansible-inventory \
             ansible-doc ansible-config",
        safe: "collection/install role/install init list search",
        publishes: "publish",
        ..NONE
    },
    Program {
        names: "kubectl oc k k9s kubens kubectx kustomize stern k3s-kubectl",
        destroys: "^delete ^drain ^evict ^replace/--force ^scale ^debug ^taint ^cordon delete-* ^prune rollout/undo",
        secrets: "get/secret get/secrets get/secret/* view-secret config/view/--raw create/token get/secret* ",
        safe: "^get ^describe ^logs ^explain ^version ^api-resources ^api-versions ^cluster-info ^top ^diff ^events ^wait auth/can-i config/view config/get-contexts config/current-context config/get-clusters rollout/status rollout/history ^kustomize ^build ^port-forward ^options ^completion ^plugin ^convert ^neat ^tree ^whoami ^projects ^status",
        ..NONE
    },
    Program {
        names: "helm helmfile argocd werf",
        destroys: "uninstall delete del un rollback destroy plugin/uninstall",
        secrets: "get/values-secret",
        safe: "list ls status get show template lint version repo repo/update search dependency/update dependency dep/update dep pull package env history test verify ^create plugin/list diff app/list app/get app/diff build deps ^diff ^template ^lint",
        publishes: "push",
    },
    Program {
        names: "chezmoi",
        destroys: "purge destroy forget",
        secrets: "secret",
        safe: "managed unmanaged data source-path dump target-path archive execute-template",
        ..NONE
    },
    Program {
        names: "vault op bw pass gopass lpass doppler infisical chamber sops ansible-vault security \
             secret-tool keyring keepassxc-cli aws-vault teller berglas ejson gpg gpg2 age \
             cmdkey kwallet-query git-credential-manager pinentry credstash akeyless conjur \
             dashlane-cli dcli",
        destroys: "delete destroy kv/delete kv/destroy kv/metadata/delete secrets/disable token/revoke lease/revoke operator/* --delete-secret-keys --delete-keys rm remove policy/delete auth/disable delete-keychain delete-generic-password secrets/delete",
        secrets: "read kv/get get search show item/get find-generic-password find-internet-password dump-keychain export item vault/export list/items lookup secrets secrets/get secrets/download decrypt -d --decrypt token/lookup token/create unwrap ls-values view edit exec print-env insert generate otp clip --export-secret-keys read-password cat list-passwords export-secret-keys unlock find-certificate",
        safe: "status version help list ls git login-status --list-keys --verify verify",
        ..NONE
    },
];

pub(super) fn by_form(name: &str) -> Option<Handler> {
    PROGRAMS
        .iter()
        .any(|program| one_of(name, program.names))
        .then_some(by_table as Handler)
}

/// Judges by the program's row.
pub(super) fn by_table(machine: &mut Machine<'_>, call: &Call) -> Data {
    let Some(program) = PROGRAMS.iter().find(|program| call.is(program.names)) else {
        return Data::unknown();
    };
    let args = call.args();
    uploads_secrets(machine, args);
    if special(machine, call) {
        return Data::unknown();
    }
    judge(machine, call, program);
    if one_of("vault", program.names) {
        Data::from_secrets()
    } else {
        Data::from_network()
    }
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

/// What no row of verbs can say: programs, their first word, options of which one is given and options of which none
/// is, each where it counts, and what that comes to.
const BY_OPTION: &[[&str; 5]] = table::rows!("../../tables/cloud.txt");

/// Programs that change nothing, with one of these options if there are any.
const READING: &[[&str; 2]] = table::rows!("../../tables/looking.txt");

/// What no row of verbs can say. True: nothing more to judge.
fn special(machine: &mut Machine<'_>, call: &Call) -> bool {
    let args = call.args();
    if machines::reached(machine, call) {
        return true;
    }
    let given = |names: &str| names.is_empty() || options::any(args, names);
    for [names, verb, with, without, what] in BY_OPTION {
        let begins = verb.is_empty() || options::begins(args, verb);
        if call.is(names) && begins && given(with) && !options::any(args, without) {
            let rule = match *what {
                "credentials" => &policy::READ_CREDENTIALS,
                "secrets" => &policy::READ_SECRETS,
                "changes" => &policy::CHANGE,
                _ => &policy::DESTROY,
            };
            effect(machine, rule, &format!("{} {verb}", call.name));
        }
    }
    if call.is("vercel now") && args.iter().all(|arg| arg.starts_with('-')) && !given("--version") {
        effect(machine, &policy::PUBLISH, "vercel");
    }
    if call.is("kubectl oc k") && options::begins(args, "exec rsh run") {
        super::wrappers::scan(machine, call);
    }
    machines::fleets(machine, call);
    READING
        .iter()
        .any(|[names, with]| call.is(names) && given(with))
}

#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().flat_map(|program| program.names.split(' '))
}
