//! Conditions in words: a claim answers them point by point, through a whole run.

use crate::project::Project;

#[test]
fn a_claim_is_believed_once_every_point_is_answered() {
    let project = Project::new();
    std::fs::write(
        project.path("tasks.json"),
        r#"{"t": {"objective": "x", "definition_of_done": ["The page loads.", "No warning is left."], "allowed_tools": []}}"#,
    )
    .unwrap();
    let agent = "command:echo $OVERNIGHT_ITERATION > work; [ $OVERNIGHT_ITERATION = 1 ] || more='--answer'; \
        completion-check declare complete --answer '1: seen in shot.png' $more ${more:+'2: grep finds none'}";
    project.run(&["--agent", agent]).success();
    let judged = project.records("judged");
    assert_eq!(judged.len(), 2, "{judged:#?}");
    let reasons = judged[0]["verdict"]["reasons"].to_string();
    assert!(
        reasons.contains("point 2 of the checklist is not answered: No warning is left."),
        "{reasons}"
    );
    let answers = &judged[1]["verdict"]["answers"];
    assert_eq!(answers[1], "2: grep finds none", "{answers}");
}
