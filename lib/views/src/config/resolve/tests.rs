use super::*;
use overnight_shell::Mode;
use proptest::prelude::*;

const PERSON: &str = "config.toml";
const PROJECT: &str = "overnight.toml";

type Set = [(&'static str, &'static str)];

fn read(person: &str, project: &str, trusted: bool, set: &[(&str, &str)]) -> Resolved {
    let set = |name: &str| {
        let found = set.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    Resolved::read(&Layers {
        person: Some((PERSON, person)),
        project: Some((PROJECT, project)),
        trusted: &|| trusted,
        option: &set,
        variable: &|var| Some((var.name, set(var.name)?)),
    })
}

fn origin(resolved: &Resolved, section: &str, name: &str) -> String {
    resolved.held(find(section, name).unwrap()).1.to_string()
}

fn reasons(resolved: &Resolved) -> String {
    let reasons = resolved.wrong.iter().map(|wrong| wrong.fault.to_string());
    reasons.collect::<Vec<_>>().join("\n")
}

#[test]
fn environment_beats_project_beats_option_beats_person_beats_default() {
    let key = ("filter", "max_lines");
    let steps: [(&str, &str, &Set, u64, &str); 5] = [
        ("", "", &[], 50, "default"),
        ("[filter]\nmax_lines = 60", "", &[], 60, PERSON),
        (
            "[filter]\nmax_lines = 60",
            "",
            &[("max_output_lines", "70")],
            70,
            "plugin option max_output_lines",
        ),
        (
            "[filter]\nmax_lines = 60",
            "[filter]\nmax_lines = 80",
            &[("max_output_lines", "70")],
            80,
            PROJECT,
        ),
        (
            "[filter]\nmax_lines = 60",
            "[filter]\nmax_lines = 80",
            &[
                ("max_output_lines", "70"),
                ("OVERNIGHT_MAX_OUTPUT_LINES", "90"),
            ],
            90,
            "$OVERNIGHT_MAX_OUTPUT_LINES",
        ),
    ];
    for (person, project, set, expected, from) in steps {
        let resolved = read(person, project, false, set);
        assert_eq!(reasons(&resolved), "");
        assert_eq!(resolved.settings.filter.max_lines, expected);
        assert_eq!(origin(&resolved, key.0, key.1), from);
    }
}

#[test]
fn a_project_tightens_and_never_loosens() {
    let tighter = "[run]\nmax_iterations = 5\nbudget_usd = 3\non_limit = \"exit\"\ninterval = \"1m\"\n[guard]\nmode = \"strict\"\ndeny = [\"b\"]\n[sample]\nrate = 0.5";
    let person = "[guard]\ndeny = [\"a\"]\nmode = \"fast\"";
    let resolved = read(person, tighter, false, &[]);
    assert_eq!(reasons(&resolved), "");
    let settings = &resolved.settings;
    assert_eq!(
        (settings.run.max_iterations, settings.run.budget_usd),
        (5, Some(3.0))
    );
    assert_eq!(
        (settings.guard.mode, settings.guard.deny.len()),
        (Mode::Strict, 2)
    );
    let looser = "[run]\nmax_iterations = 50\ntask_timeout = \"3h\"\n[guard]\nmode = \"fast\"\nattended = \"allow\"\nbranch_prefix = \"main/\"\n[sample]\nrate = 0.01\n[filter]\nenabled = false";
    let resolved = read("", looser, true, &[]);
    assert_eq!(resolved.settings, Settings::default());
    assert_eq!(resolved.wrong.len(), 7, "{}", reasons(&resolved));
}

#[test]
fn commands_of_a_project_count_once_a_person_trusts_the_file() {
    let project = "[run]\ngates = [\"make check\"]";
    let untrusted = read("", project, false, &[]);
    assert!(untrusted.settings.run.gates.is_empty());
    assert_eq!(untrusted.wrong[0].fault.code, Code::NotTrusted);
    let trusted = read("[run]\ngates = [\"git diff --check\"]", project, true, &[]);
    assert_eq!(
        trusted.settings.run.gates,
        ["git diff --check", "make check"]
    );
}

#[test]
fn what_is_wrong_is_named_with_its_value_and_its_range() {
    let person = "[run]\nmax_iterations = 0\nmax_iteration = 3\n[filters]\nx = 1\n";
    let set = [
        ("OVERNIGHT_MAX_OUTPUT_LINES", "50; rm -rf ~"),
        ("sample_rate", "7"),
    ];
    let resolved = read(person, "guard = 1", false, &set);
    assert_eq!(resolved.settings, Settings::default());
    let said = reasons(&resolved);
    for part in [
        "config.toml: run.max_iterations = 0 is not a number from 1 to 100000",
        "config.toml: run.max_iteration is unknown; [run] has max_iterations,",
        "config.toml: [filters] is unknown; there are run,",
        "OVERNIGHT_MAX_OUTPUT_LINES=\"50; rm -rf ~\" is not a number from 5 to 1000",
        "plugin option sample_rate=\"7\" is not a number from 0.001 to 1",
        "overnight.toml: guard is 1, not a section",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let broken = read("[run", "", false, &[]);
    assert_eq!(broken.wrong[0].section, None);
}

proptest! {
    #[test]
    fn no_file_of_a_project_loosens_anything(
        key in 0..all().count(),
        value in "[0-9]{1,4}|\"[a-z0-9/]{1,8}\"|true|false|\\[\"[a-z]{1,3}\"\\]|[0-9]\\.[0-9]",
    ) {
        let setting = all().nth(key).unwrap();
        let project = format!("[{}]\n{} = {value}", setting.section, setting.name);
        let resolved = read("", &project, false, &[]);
        let (held, _) = &resolved.held(setting);
        let below = |one: &Option<Value>, other: &Option<Value>| match (one, other) {
            (Some(one), Some(other)) => setting.kind.below(one, other) == Some(true),
            _ => false,
        };
        let default = setting.default_value();
        match setting.project {
            Project::Never | Project::AddsTrusted => prop_assert_eq!(held, &default),
            Project::Less => prop_assert!(!below(&default, held)),
            Project::More => prop_assert!(!below(held, &default)),
            Project::Free | Project::Adds => {}
        }
    }
}
