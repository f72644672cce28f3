//! Containers.

use super::table::{NONE, Program, judge};
use super::{Handler, effect, network, options, wrappers};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::names::{holds, one_of};
use crate::place::PathClass;
use crate::policy;

static DOCKER: Program = Program {
    names: "docker podman nerdctl docker-compose podman-compose finch ctr crictl buildah skopeo",
    destroys: "prune volume/rm volume/remove network/rm network/remove rmi image/rm image/remove ^rm container/rm kill container/kill swarm/leave stack/rm service/rm secret/rm config/rm node/rm context/rm system/reset plugin/rm ^delete images/rm compose/rm builder/prune buildx/rm machine/rm pod/rm -destroy sandbox",
    safe: "^build system/df system/info buildx/build image/build compose/build compose/up compose/config compose/ps compose/logs compose/pull compose/run compose/exec compose/create compose/start compose/ls compose/images compose/version up config ^images ^run ^exec ^create ^start ^pull ^tag ^attach ^cp ^port ^wait ^stats ^diff ^export ^save ^load ^import ^commit container/run container/exec volume/create network/create volume/ls network/ls buildx/ls buildx/bake ^bake scout context/ls context/show ^from",
    publishes: "^push image/push compose/push manifest/push",
    ..NONE
};

pub(super) fn by_form(name: &str) -> Option<Handler> {
    one_of(name, DOCKER.names).then_some(docker as Handler)
}

/// Is the daemon that is spoken to one of another machine?
fn away(machine: &Machine<'_>, args: &[String]) -> bool {
    let options = options::parse(args, "Hc", "host url context", true);
    let mut hosts = options.values("H host url");
    hosts.extend(["DOCKER_HOST", "CONTAINER_HOST"].map(|name| machine.given(name).unwrap_or("")));
    let here = |host: &&str| {
        host.is_empty() || host.starts_with(['/', '.']) || network::local(host) || {
            let scheme = host.split("://").next();
            matches!(scheme, Some("unix" | "npipe" | "fd"))
        }
    };
    let local = overnight_base::words!("default desktop-linux rootless colima orbstack");
    let contexts = [
        options.value("c", "context"),
        machine.given("DOCKER_CONTEXT"),
    ];
    let elsewhere = |context: &&str| !context.is_empty() && !local.contains(context);
    !hosts.iter().all(here) || contexts.iter().flatten().any(elsewhere)
}

fn docker(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if away(machine, args) {
        effect(machine, &policy::CONTAINER, "a daemon of another machine");
    }
    if options::any(args, "down") {
        down(machine, args);
        return Data::unknown();
    }
    if options::any(args, "run exec create container") {
        escapes(machine, args);
        run_inside(machine, call);
    }
    if options::begins(args, "inspect") {
        return Data::unknown();
    }
    if let [verb, .., to] = args
        && verb == "cp"
    {
        for arg in args {
            if crate::place::secret(super::roughly(machine, arg)) {
                effect(machine, &policy::EXFILTRATE, arg);
            }
            if arg.contains("secret") {
                effect(machine, &policy::READ_CREDENTIALS, arg);
            }
        }
        if !to.contains(':') {
            super::writes(machine, to, super::How::Write);
        }
    }
    let pushes = |arg: &String| arg == "--push" || holds(arg, "push=true type=registry");
    if args.iter().any(pushes) {
        effect(machine, &policy::PUBLISH, "--push");
    }
    for output in args.iter().filter_map(|arg| arg.split_once("dest=")) {
        let folder = output.1.split(',').next().unwrap_or("");
        if super::place_of(machine, folder) != PathClass::Root {
            super::writes(machine, folder, super::How::Write);
        }
    }
    if !only_own(machine, args) {
        judge(machine, call, &DOCKER);
    }
    Data::unknown()
}

/// The services of a project end; that this command brought them up makes them its own.
fn down(machine: &mut Machine<'_>, args: &[String]) {
    if machine.made.contains("compose up") {
        return;
    }
    let rule = if options::any(args, "-v --volumes --rmi") {
        &policy::DESTROY
    } else {
        &policy::CONTAINER
    };
    effect(machine, rule, "compose down");
}

/// Are all the containers that are ended here named by a call of this command that made them?
fn only_own(machine: &mut Machine<'_>, args: &[String]) -> bool {
    let words = options::words(args, "-t --time -s --signal --name");
    let rest = words.strip_prefix(&["container"]).unwrap_or(&words);
    match rest {
        ["run" | "create", ..] => {
            let options = options::parse(args, "p", "name publish", false);
            for name in options.values("name") {
                machine.made.insert(name.to_owned());
            }
            for ports in options.values("p publish") {
                if let Some(port) = ports.rsplit(':').nth(1) {
                    machine.made.insert(format!(":{port}"));
                }
            }
            false
        }
        ["compose", rest @ ..] if rest.contains(&"up") => {
            machine.made.insert("compose up".to_owned());
            false
        }
        ["rm" | "kill" | "stop", names @ ..] => {
            !names.is_empty() && names.iter().all(|name| machine.made.contains(*name))
        }
        _ => false,
    }
}

const GRAVE: &str = "--privileged --pid=host --ipc=host --userns=host --cap-add=SYS_ADMIN --cap-add=ALL \
    --security-opt=apparmor=unconfined --uts=host";

/// Rights and folders of the machine given to a container.
fn escapes(machine: &mut Machine<'_>, args: &[String]) {
    let mut grave = args.iter().any(|arg| one_of(arg, GRAVE));
    for (name, value) in options::pairs(args) {
        grave |=
            one_of(name, "--pid --cap-add --ipc --userns") && one_of(value, "host ALL SYS_ADMIN");
        if !one_of(name, "-v --volume --mount") {
            continue;
        }
        let named = |part: &'static str| value.split(',').find_map(|it| it.strip_prefix(part));
        let source = named("source=").or(named("src="));
        let source = source.unwrap_or_else(|| value.split(':').next().unwrap_or(""));
        let read_only = value.ends_with(":ro") || value.contains("readonly");
        let foreign = match super::place_of(machine, source) {
            PathClass::Home => !read_only,
            place => matches!(
                place,
                PathClass::System | PathClass::Credentials | PathClass::Device | PathClass::Guard
            ),
        };
        grave |=
            source.starts_with(['/', '~', '.']) && (foreign || source.ends_with("docker.sock"));
    }
    if grave {
        effect(machine, &policy::ESCAPE, "docker run");
    }
}

/// What runs inside a container: its files may be mounted from here, its data may be real.
fn run_inside(machine: &mut Machine<'_>, call: &Call) {
    let args = call.args();
    let at = args.iter().position(|arg| one_of(arg, "run exec create"));
    let rest = Call {
        name: "container".to_owned(),
        argv: args[at.unwrap_or(0)..].to_vec(),
        stdin: call.stdin.clone(),
    };
    if options::any(args, "exec") {
        wrappers::scan(machine, &rest);
        let args = rest.args();
        let words = options::words(args, "-u -w -e --user --workdir --env -f --file -p");
        if let Some(at) = words
            .get(1)
            .and_then(|first| args.iter().position(|arg| arg == first))
        {
            machine.run_words(&args[at..], &call.stdin);
        }
        return;
    }
    // In a fresh container only mounted folders can be harmed.
    if options::any(args, "-v --volume --mount") || args.iter().any(|arg| arg.starts_with("-v")) {
        wrappers::scan(machine, &rest);
    }
}

#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    DOCKER.names.split(' ')
}
