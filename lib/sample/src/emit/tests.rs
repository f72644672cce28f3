use super::*;

fn text(chosen: &[&str], how: Emit) -> String {
    match emit(chosen, how).unwrap() {
        Emitted::Lines(text) => text,
        Emitted::File {
            prefix, content, ..
        } => format!("{prefix}FILE\n{content}"),
    }
}

#[test]
fn simple_pytest_ids_are_arguments_and_others_go_through_a_file() {
    let plain = ["a.py::x", "a.py::y"];
    assert_eq!(text(&plain, Emit::PytestArgs), "a.py::x\na.py::y\n");
    assert_eq!(
        text(&["a.py::x[1 2]"], Emit::PytestArgs),
        "@FILE\na.py::x[1 2]\n"
    );
    let long = "a.py::".to_owned() + &"x".repeat(ARGUMENTS_MAX);
    assert!(text(&[&long], Emit::PytestArgs).starts_with("@FILE\n"));
}

#[test]
fn nextest_filters_name_binaries_and_escape_names() {
    insta::assert_snapshot!(
        text(&["demo::it a::b", "demo::it c", "demo odd (x, y)/z"], Emit::NextestFilter),
        @r"(binary_id(=demo) & (test(=odd (x\, y\)\/z))) | (binary_id(=demo::it) & (test(=a::b) | test(=c)))"
    );
    insta::assert_snapshot!(text(&["a::b"], Emit::NextestConfig), @r#"
    [profile.overnight-sample]
    default-filter = "test(=a::b)"
    "#);
    let with_report = nextest_config(&["a::b"], "/tmp/a \"b\".xml");
    assert!(with_report.ends_with("junit]\npath = \"/tmp/a \\\"b\\\".xml\"\n"));
    let long = "demo ".to_owned() + &"x".repeat(ARGUMENT_MAX);
    let fault = emit(&[&long], Emit::NextestFilter).unwrap_err();
    assert_eq!(fault.code, Code::SampleSize);
}

#[test]
fn go_has_a_line_for_each_package() {
    insta::assert_snapshot!(
        text(&["m/p.TestB/sub one", "m/p.TestA", "m.TestC", "TestD"], Emit::GoRun),
        @r"
    -run ^(TestD)$ ./...
    -run ^(TestC)$ m
    -run ^(TestA|TestB)$ m/p
    "
    );
}

#[test]
fn cargo_jest_and_vitest_get_names_and_files() {
    assert_eq!(
        text(&["demo::it a::b", "c"], Emit::Cargo),
        "--exact\na::b\nc\n"
    );
    assert_eq!(
        text(&["src/a.test.ts > x", "src/a.test.ts > y"], Emit::Vitest),
        "src/a.test.ts\n"
    );
    assert_eq!(
        text(&["/p/a.test.js"], Emit::Jest),
        "--runTestsByPath\n/p/a.test.js\n"
    );
    insta::assert_snapshot!(text(&["/my p/a.test.js"], Emit::Jest), @r#"
    --filter=FILE
    const wanted = ["/my p/a.test.js"];
    const ends = new Set(wanted.map((file) => file.replace(/^\.\//, "")));
    const known = (file) => {
      const parts = file.split(/[\\/]/);
      return ends.has(file) || parts.some((_, at) => ends.has(parts.slice(at).join("/")));
    };
    module.exports = async (files) => ({
      filtered: files.filter((file) => known(file)).map((file) => ({ test: file })),
    });
    "#);
}
