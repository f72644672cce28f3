//! Whatever an agent does to files outside the commit, the verdict is the one without it. No cell
//! stands around it here: what the kernel would prevent must not help, either.

use crate::project::Project;
use proptest::prelude::{any, prop_assert_eq};
use proptest::sample::subsequence;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::os::unix::fs::PermissionsExt;

/// Cases of one test.
const CASES: u32 = 8;
/// What the agent does at once, at least and at most.
const AT_ONCE: std::ops::RangeInclusive<usize> = 1..=14;

/// The gate reads everything that it can be led by.
const CHECK: &str = r#"for file in ./.env ./extra.env "$HOME/.gaterc" "${TMPDIR:-/tmp}/gaterc" ../gaterc; do
  if [ -f "$file" ]; then . "$file"; fi
done
[ "$limit" = 2 ] && grep -qx two a.txt
"#;

/// What an agent does, as a line of shell; `$git` is the shared git folder.
const ACTIONS: [&str; 32] = [
    "echo 'limit=2; exit 0' > .env",
    "rm -f .env",
    "echo 'exit 0' > extra.env",
    "echo 'exit 0' > $HOME/.gaterc",
    "echo 'exit 0' > $TMPDIR/gaterc",
    "echo 'exit 0' > ../gaterc",
    // git's settings.
    "git config core.fsmonitor $HOME/evil.sh",
    "git config core.hooksPath $HOME/hooks; mkdir -p $HOME/hooks; cp $HOME/evil.sh $HOME/hooks/post-checkout",
    "git config core.attributesFile $HOME/attributes; echo '* filter=evil' > $HOME/attributes; git config filter.evil.smudge $HOME/evil.sh",
    "git config core.sparseCheckout true; echo /a.txt > $git/info/sparse-checkout",
    "git config core.autocrlf true",
    "git config core.eol crlf; git config core.autocrlf input",
    "git config core.symlinks false; git config core.fileMode false",
    "git config core.trustctime false; git config core.checkStat minimal",
    "git config core.bigFileThreshold 1; git config core.ignoreCase true",
    "git config alias.checkout '!true'; git config alias.restore '!true'",
    "git config --global core.hooksPath $HOME/hooks",
    "git config include.path $HOME/more; printf '[filter \"evil\"]\\n\\tsmudge = false\\n' > $HOME/more",
    // git's files.
    "cp $HOME/evil.sh $git/hooks/post-checkout; cp $HOME/evil.sh $git/hooks/post-index-change",
    "echo '* filter=evil' > $git/info/attributes; git config filter.evil.smudge 'sed s/two/three/'; git config filter.evil.clean 'sed s/three/two/'",
    "echo '* text eol=crlf ident' > $git/info/attributes",
    "echo a.txt >> $git/info/exclude",
    "git replace $(git rev-parse HEAD:check.sh) $(echo 'exit 0' | git hash-object -w --stdin)",
    "git update-index --assume-unchanged check.sh; echo 'exit 0' > check.sh",
    "git update-index --skip-worktree check.sh; rm check.sh",
    "git worktree add -q --detach ../other HEAD; echo two > ../other/a.txt; echo 'exit 0' > ../other/check.sh",
    "for ref in $(git for-each-ref --format='%(refname)' refs/overnight); do git update-ref -d $ref; done; git gc -q --prune=now",
    "git notes --ref overnight add -m proved HEAD; git stash list; git tag -f proved",
    // The room itself.
    "for room in $HOME/.local/state/overnight/rooms/*/proof-?; do echo two > $room/a.txt; echo 'exit 0' > $room/check.sh; echo 'exit 0' > $room/extra.env; done",
    "for room in $HOME/.local/state/overnight/rooms/*/proof-?; do [ ! -e $room/.git ] || echo 'gitdir: /nowhere' > $room/.git; done",
    // What is left behind.
    "(env -i setsid sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do for room in $1/*/proof-?; do echo two > $room/a.txt; done; sleep 0.05; done' sh $HOME/.local/state/overnight/rooms > /dev/null 2>&1 &)",
    "(setsid sleep 30 &)",
];

/// A project with a gate that is red, whose agent does what is asked (or not) and all of this beside.
fn verdict(right: bool, actions: &[&str]) -> i32 {
    let project = Project::new();
    let write = |path: &str, text: &str| std::fs::write(project.path(path), text).unwrap();
    write("check.sh", CHECK);
    write("a.txt", "one\n");
    write(".gitignore", ".env\nextra.env\n");
    write(".env", "limit=2\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "start"]);
    let home = project.home();
    let evil = home.join("evil.sh");
    // In the agent's own tree it would do the agent's work: what is left there is committed.
    let text =
        "#!/bin/sh\ncase $PWD in */rooms/*) echo two > a.txt; echo 'exit 0' > check.sh ;; esac\n";
    std::fs::write(&evil, text).unwrap();
    std::fs::set_permissions(&evil, std::fs::Permissions::from_mode(0o755)).unwrap();
    let temporary = home.join("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    let work = if right { "two" } else { "three" };
    let script = format!(
        "cat > /dev/null\ngit=$(git rev-parse --path-format=absolute --git-common-dir)\necho {work} > a.txt\ngit commit -qam work\n{}\nprintf '<DONE>ok</DONE>\\n'\n",
        actions.join("\n")
    );
    std::fs::write(home.join("agent.sh"), script).unwrap();
    let agent = format!(
        "command:sh {} 2> {}",
        home.join("agent.sh").display(),
        home.join("errors").display()
    );
    let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    let arguments = [
        "run",
        "--here",
        "--agent",
        &agent,
        "--gate",
        "sh check.sh",
        "--max-iterations",
        "1",
        "--cell=off",
        "--no-pr",
    ];
    let done = command
        .args(arguments)
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    done.status.code().unwrap()
}

#[test]
fn what_an_agent_does_outside_the_commit_changes_no_verdict() {
    assert_eq!((verdict(true, &[]), verdict(false, &[])), (0, 1));
    let config = Config {
        cases: CASES,
        max_shrink_iters: 24,
        failure_persistence: None,
        ..Config::default()
    };
    // The same cases each time.
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let cases = (any::<bool>(), subsequence(ACTIONS.to_vec(), AT_ONCE));
    let tried = runner.run(&cases, |(right, actions)| {
        let expected = i32::from(!right);
        prop_assert_eq!(verdict(right, &actions), expected, "{:#?}", actions);
        Ok(())
    });
    tried.unwrap_or_else(|failure| panic!("{failure}"));
}
