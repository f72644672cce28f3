//! Work trees from one night to the next.

use super::{list, project};

/// Tells what it finds in its work tree, and leaves what git ignores.
const AGENT: &str = "command:stat -c %i seed >> $HOME/.cache/inodes; cat seed junk >> $HOME/.cache/found 2>/dev/null; \
     echo junk > junk; mkdir -p out; echo x > out/$OVERNIGHT_TASK; echo '<DONE>ok</DONE>'";

#[test]
fn files_of_a_work_tree_serve_the_next_night_and_what_git_ignored_in_them_is_gone() {
    let project = project(&[("a", &[])]);
    for (name, text) in [(".gitignore", "junk\n"), ("seed", "seed\n")] {
        std::fs::write(project.path(name), text).unwrap();
        project.git(&["add", name]);
    }
    project.git(&["commit", "-q", "-m", "seed"]);
    for task in ["a", "b"] {
        std::fs::write(project.path("tasks.json"), list(&[(task, &[])])).unwrap();
        project.git(&["commit", "-q", "--allow-empty", "-m", task, "tasks.json"]);
        project.overnight(&["trust", "tasks.json"]).success();
        project.run(&["--members", "1", "--agent", AGENT]).success();
        assert!(project.path(&format!("out/{task}")).is_file());
        // Between nights git knows of none.
        let trees = project.git_out(&["worktree", "list"]);
        let others = trees.lines().filter(|line| !line.contains("/rooms/"));
        assert_eq!(others.count(), 1, "{trees}");
    }
    let inodes = project.read("../home/.cache/inodes");
    let inodes: Vec<&str> = inodes.lines().collect();
    assert_eq!(inodes[0], inodes[1]);
    assert_eq!(project.read("../home/.cache/found"), "seed\n".repeat(2));
}
