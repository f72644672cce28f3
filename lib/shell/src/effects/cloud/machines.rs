//! Commands on other machines: sessions there, and fleets of them.

use super::given;
use crate::effects::table::says;
use crate::effects::{effect, options, runners::rehearses, wrappers};
use crate::machine::{Call, Machine};
use crate::policy;

/// Programs whose machines are containers and virtual machines of this one.
const LOCAL_MACHINES: &[&str] = overnight_base::words!(
    "vagrant multipass lxc incus limactl lima colima minikube kubectl oc k docker podman salt-ssh \
     vault"
);

/// Verbs that open a session on a machine of the cloud.
const SESSIONS: &str = "^ssh compute/ssh ssm/start-session ssm/send-command ecs/execute-command vm/run-command ^run:detached ^ps:exec cloud-shell/ssh";

/// Is a machine of the cloud entered, or code from the network handed to a cluster? True: nothing
/// more to judge.
pub(super) fn reached(machine: &mut Machine<'_>, call: &Call) -> bool {
    if matches!(call.name.as_str(), "kubectl" | "oc" | "k" | "helm")
        && call.stdin.network
        && !rehearses(call.args())
    {
        effect(machine, &policy::REMOTE_CODE, &call.name);
    }
    let valued = ["-a", "--app", "-p", "--project", "--profile", "--region"];
    let enters = !LOCAL_MACHINES.contains(&call.name.as_str())
        && says(SESSIONS, &options::words(call.args(), &valued));
    if enters {
        effect(machine, &policy::REMOTE_HOST, &call.name);
    }
    enters
}

/// Programs that change many machines at once.
pub(super) fn fleets(machine: &mut Machine<'_>, call: &Call) {
    let args = call.args();
    let flag = |name: &str| given(args, name);
    match call.name.as_str() {
        "ansible" | "salt" | "salt-call" | "salt-ssh" | "knife" => {
            wrappers::scan(machine, call);
            // What is run there is run on other machines, as with `ssh`.
            let asks = overnight_base::words!(
                "ping setup debug test.ping grains.items stat --list-hosts --version list show \
                 status"
            )
            .iter()
            .any(|word| args.iter().any(|arg| arg == word));
            if !(asks
                || flag("--check")
                || flag("-C")
                || call.name == "knife" && !args.iter().any(|arg| arg == "ssh"))
            {
                effect(machine, &policy::REMOTE_HOST, &call.name);
            }
        }
        "chef-client" | "chef-solo" | "puppet"
            if !flag("--why-run") && !flag("-W") && !flag("--noop") =>
        {
            effect(machine, &policy::DESTROY, &call.name);
        }
        "packer" if args.first().is_some_and(|verb| verb == "build") => {
            let rule = if flag("-force") {
                &policy::DESTROY
            } else {
                &policy::CHANGE
            };
            effect(machine, rule, "packer build");
        }
        _ => {}
    }
}
