//! Which work `task-lock publish` may push.

/// Checks one refspec: `SOURCE` or `SOURCE:DESTINATION`. Nothing is forced, deleted or matched by
/// a pattern, and no lease is written by hand.
pub fn check(refspec: &str) -> Result<(), String> {
    let refuse = |why: &str| Err(format!("{refspec:?} cannot be published: {why}"));
    let (source, destination) = match refspec.split_once(':') {
        Some((source, destination)) => (source, Some(destination)),
        None => (refspec, None),
    };
    if source.starts_with('+') {
        return refuse("a publish never forces");
    }
    if source.is_empty() {
        return refuse("a publish never deletes");
    }
    let odd = |name: &str| {
        name.is_empty()
            || name.starts_with(['-', '^', ':'])
            || name.contains(['*', ' ', ':'])
            || name.chars().any(char::is_control)
    };
    if odd(source) || destination.is_some_and(odd) {
        return refuse("give SOURCE:DESTINATION, for example HEAD:refs/heads/auto/t1");
    }
    let target = destination.unwrap_or(source);
    if target.contains("refs/overnight/") || target.contains("overnight/leases/") {
        return refuse("leases are not work");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_pushes_of_work_are_accepted() {
        for good in [
            "HEAD:refs/heads/auto/t1",
            "main",
            "auto/t1:main",
            "HEAD~1:x",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            ":",
            "+HEAD:main",
            ":main",
            "HEAD:",
            "--force",
            "refs/*:refs/*",
            "a:b:c",
            "^x",
            "HEAD:-f",
            "HEAD:refs/overnight/leases/t1",
            "HEAD:refs/heads/overnight/leases/t1",
            "HEAD:overnight/leases/t1",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
