//! Several nights on one branch: one pull request, brought up to date, by either forge's program.

use crate::night::{forge, on_main, request};
use crate::project::Project;
use predicates::str::contains;
use std::os::unix::fs::PermissionsExt;

/// A `glab` beside the remote of [`forge`] and instead of its `gh`. As with GitLab itself, what makes a
/// request a draft is its title.
fn gitlab(project: &Project) {
    forge(project);
    let bin = project.home().join("bin");
    std::fs::remove_file(bin.join("gh")).unwrap();
    let script = format!(
        r#"#!/bin/sh
cd {}
echo "$1 $2 $3" >> calls
verb=$2
while [ $# -gt 0 ]; do
  case $1 in
    --draft) draft='Draft: ' ;;
    --title) title=$2 ;;
    --description) printf '%s' "$2" > body ;;
  esac
  shift
done
case $verb in
  list) [ ! -e url ] && echo '[]' || echo "[{{\"web_url\":\"$(cat url)\"}}]" ;;
  create) [ ! -e url ] || {{ echo '409 Another open merge request already exists for this source branch: !1' >&2; exit 1; }}
    echo "$draft$title" > title; echo https://gitlab.invalid/g/p/-/merge_requests/1 | tee url ;;
  update) [ -z "$title" ] || echo "$title" > title ;;
  view) echo '{{"state":"opened"}}' ;;
esac
"#,
        project.home().join("requests").display()
    );
    std::fs::write(bin.join("glab"), script).unwrap();
    std::fs::set_permissions(bin.join("glab"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A night on the branch that is checked out.
fn night(project: &Project, goal: &str) -> assert_cmd::assert::Assert {
    let agent = format!("command:echo {goal} >> made.txt; echo '<DONE>made</DONE>'");
    project.overnight(&["run", goal, "--agent", &agent])
}

fn tip(project: &Project) -> String {
    let pushed = project.git_out(&["ls-remote", "--heads", "origin", "auto/mine"]);
    pushed.split('\t').next().unwrap_or_default().to_owned()
}

#[test]
fn several_nights_on_one_branch_update_one_request_say_nothing_in_it_and_never_force() {
    for forge in [forge, gitlab] {
        let project = on_main();
        forge(&project);
        project.git(&["switch", "-q", "-c", "auto/mine"]);
        night(&project, "first")
            .success()
            .stderr(contains("pull request (draft): https://"));
        let first = tip(&project);
        night(&project, "second")
            .success()
            .stderr(contains("pull request (updated): https://"));
        let second = tip(&project);
        assert_ne!(first, second);
        project.git(&["merge-base", "--is-ancestor", &first, &second]);
        let body = request(&project, "body");
        assert!(body.contains("second"), "{body}");
        // What a colleague pushed meanwhile stays, and the next night says what is to be done.
        let colleagues = project.home().join("colleague");
        let colleague = colleagues.to_str().unwrap();
        let remote = project.path(".git/remote.git");
        let clone = ["clone", "-q", "-b", "auto/mine", remote.to_str().unwrap()];
        project.git(&[&clone[..], &[colleague]].concat());
        let commit = ["commit", "-q", "--allow-empty", "-m", "theirs"];
        project.git(&[&["-C", colleague][..], &commit].concat());
        project.git(&["-C", colleague, "push", "-q"]);
        let theirs = tip(&project);
        night(&project, "third")
            .success()
            .stderr(contains("no pull request: git push"));
        assert_eq!(tip(&project), theirs);
        let calls = request(&project, "calls");
        let asked = |verb: &str| calls.lines().filter(|call| call.contains(verb)).count();
        assert_eq!(asked("create"), 1, "{calls}");
        assert_eq!(asked("edit") + asked("update"), 1, "{calls}");
        let known = ["create", "edit", "update", "list", "view", "status"];
        let spoke: Vec<_> = calls
            .lines()
            .filter(|call| {
                call.split(' ')
                    .nth(1)
                    .is_none_or(|verb| !known.contains(&verb))
            })
            .collect();
        assert!(spoke.is_empty(), "{spoke:?}");
        let title = request(&project, "title");
        assert!(title.is_empty() || title.starts_with("Draft: "), "{title}");
    }
}
