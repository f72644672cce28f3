//! Commands on other machines: sessions there, and fleets of them.

use crate::effects::table::says;
use crate::effects::{effect, options, runners::rehearses, wrappers};
use crate::machine::{Call, Machine};
use crate::policy;

/// Programs whose machines are containers and virtual machines of this one.
const LOCAL_MACHINES: &str = "vagrant multipass lxc incus limactl lima colima minikube kubectl oc k docker podman salt-ssh \
     vault";

/// Verbs that open a session on a machine of the cloud.
const SESSIONS: &str = "^ssh compute/ssh ssm/start-session ssm/send-command ecs/execute-command vm/run-command ^run:detached ^ps:exec cloud-shell/ssh";

/// Is a machine of the cloud entered, or code from the network handed to a cluster? True: nothing
/// more to judge.
pub(super) fn reached(machine: &mut Machine<'_>, call: &Call) -> bool {
    if call.is("kubectl oc k helm") && call.stdin.network && !rehearses(call.args()) {
        effect(machine, &policy::REMOTE_CODE, &call.name);
    }
    let enters = !call.is(LOCAL_MACHINES)
        && says(
            SESSIONS,
            &options::words(call.args(), "-a --app -p --project --profile --region"),
        );
    if enters {
        effect(machine, &policy::REMOTE_HOST, &call.name);
    }
    enters
}

/// What runs on many machines at once, as with `ssh`.
pub(super) fn fleets(machine: &mut Machine<'_>, call: &Call) {
    const ASKING: &str = "ping setup debug test.ping grains.items stat --list-hosts --version list show status --check -C";
    if call.is("ansible salt salt-call salt-ssh knife") {
        wrappers::scan(machine, call);
        let elsewhere = call.name != "knife" || options::any(call.args(), "ssh");
        if elsewhere && !options::any(call.args(), ASKING) {
            effect(machine, &policy::REMOTE_HOST, &call.name);
        }
    }
}
