//! The proof room as people meet it: a receipt that is compared, and a finished list that is not.

use crate::project::Project;
use predicates::str::contains;

#[test]
fn a_proved_commit_has_a_receipt_that_verify_compares() {
    let project = Project::new();
    let agent = "command:cat > /dev/null; echo two > b.txt; printf '<DONE>ok</DONE>\\n'";
    let gate = "grep -qx two b.txt && [ ! -e \"$HOME/broken\" ]";
    project.run(&["--agent", agent, "--gate", gate]).success();
    let run = project.only_run();
    let verify = |what: &str| project.overnight(&["verify", what]);
    verify(&run)
        .code(0)
        .stdout(contains("as the receipt says: 1 gate passes"));
    let commits = project.git_out(&["notes", "--ref", "overnight", "list"]);
    let commit = commits.split_whitespace().nth(1).unwrap_or_default();
    verify(commit).code(0);
    std::fs::write(project.home().join("broken"), "").unwrap();
    verify(&run)
        .code(1)
        .stdout(contains("exit 1, the receipt says exit 0"));
}

#[test]
fn a_finished_list_whose_gate_fails_is_not_done() {
    let project = Project::new();
    let list = r#"{"t": {"objective": "x", "definition_of_done": ["It works."], "allowed_tools": [], "status": "done"}}"#;
    std::fs::write(project.path("tasks.json"), list).unwrap();
    project
        .run(&["--agent", "command:true", "--gate", "false"])
        .code(1);
}
