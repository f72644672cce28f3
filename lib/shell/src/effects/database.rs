//! Database clients and migration tools.

mod clients;

use super::sql::{self, Sql};
use super::table::{NONE, Program};
use super::{Row, effect, options, runs_text, writes};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::names::one_of;
use crate::{mark, policy};

pub(super) const ROWS: &[Row] = &[
    (
        "psql mysql mariadb sqlite3 sqlite clickhouse-client clickhouse sqlcmd sqlplus cockroach \
         duckdb usql mycli pgcli litecli mssql-cli snowsql trino presto hive beeline spark-sql \
         cqlsh isql osql tsql db2 influx cypher-shell surreal rqlite",
        |machine, call| unless_own(machine, call, client),
    ),
    ("flask", flask),
    (
        "redis-cli valkey-cli keydb-cli memcached-tool memccat",
        |machine, call| unless_own(machine, call, redis),
    ),
    ("mongo mongosh", mongo),
    (
        "dropdb dropuser mongorestore pg_restore pg_resetwal pg_dropcluster mysqladmin \
         rabbitmqadmin rabbitmqctl kafka-topics kafka-topics.sh kafka-delete-records \
         kafka-delete-records.sh etcdctl influxd nodetool kafka-consumer-groups \
         kafka-consumer-groups.sh curator elasticsearch-reset-password pg_rewind createdb \
         createuser mysql_secure_installation mysqlimport pg_ctl pg_ctlcluster initdb zkCli.sh \
         nats pulsar-admin",
        |machine, call| unless_own(machine, call, admin),
    ),
    (
        "pg_dump mysqldump mongodump mongoexport pg_dumpall pg_isready mysqlcheck mysqlshow",
        dump,
    ),
    (
        "flyway liquibase alembic dbmate goose migrate sqlx diesel sequelize sequelize-cli knex \
         typeorm prisma drizzle-kit atlas sea-orm-cli dbt mikro-orm phinx refinery sql-migrate \
         yoyo hasura",
        migrate,
    ),
    (
        "pgbench pgloader mysqlslap sysbench ycsb redis-benchmark pg_repack vacuumdb reindexdb \
         clusterdb pg_upgrade mysql_upgrade myloader mongofiles sqlldr impdp bcp",
        fills,
    ),
];

/// What is said of data; what tests made anew may lose all.
const OF_DATA: &[&str] = &["database", "sql-destroys", "destroys-remote"];

/// Judges a client, unless its database is one to be thrown away.
fn unless_own(machine: &mut Machine<'_>, call: &Call, handler: super::Handler) -> Data {
    if !is_own(machine, call) {
        return handler(machine, call);
    }
    let heard = std::mem::replace(&mut machine.unheard, OF_DATA);
    let output = handler(machine, call);
    machine.unheard = heard;
    output
}

/// On this machine, and of a name of tests or at a port where this command started its server?
fn is_own(machine: &Machine<'_>, call: &Call) -> bool {
    let args = call.args();
    let at = |names: &'static str| {
        options::pairs(args)
            .filter(|(name, _)| one_of(name, names))
            .map(|(_, value)| value)
    };
    if is_away(machine, call) {
        return false;
    }
    let words = options::words(args, "-h -U -u -p -P -c -f -e --host --port --user");
    let tests = |name: &str| {
        crate::place::last(name)
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|part| part == "test")
    };
    let name = words
        .iter()
        .find(|word| !word.contains(' '))
        .copied()
        .or(at("-d").next());
    // Redis has no names.
    let named = !call.is("redis-cli valkey-cli keydb-cli");
    named && name.is_some_and(tests)
        || at("-p -P --port").any(|port| machine.made.contains(&format!(":{port}")))
}

/// Does it speak to another machine, or to one that its words do not tell?
fn is_away(machine: &Machine<'_>, call: &Call) -> bool {
    let long = |arg: &str| arg.starts_with("--host=") || arg.starts_with("-h") && arg.len() > 2;
    let elsewhere = |arg: &String| {
        let address = arg.contains("://");
        mark::arbitrary(arg)
            || address && !super::network::local(arg)
            || !address && (arg.contains(":/") || arg.contains('@') || long(arg))
    };
    let hosts = options::pairs(call.args()).filter(|(name, _)| one_of(name, "-h --host"));
    hosts
        .into_iter()
        .any(|(_, host)| !super::network::local(host))
        || call.args().iter().any(elsewhere)
        || set(machine).any(|name| name.contains("HOST") || name.ends_with("_URL"))
}

/// The variables that this command sets, for all that follows or in front of one call.
fn set<'m>(machine: &'m Machine<'_>) -> impl Iterator<Item = &'m str> {
    let before = machine.state.vars.keys().map(String::as_str);
    before.chain(machine.prefix.iter().map(|(name, _)| name.as_str()))
}

fn flask(machine: &mut Machine<'_>, call: &Call) -> Data {
    if options::any(call.args(), "downgrade") {
        effect(machine, &policy::DESTROY, "flask db downgrade");
    }
    if options::any(call.args(), "shell")
        && let Some(text) = call.stdin.text.clone()
    {
        orm(machine, &text);
    }
    Data::unknown()
}

/// Programs that fill, move or rebuild databases.
fn fills(machine: &mut Machine<'_>, call: &Call) -> Data {
    if !options::any(call.args(), "--help --version --dry-run") {
        effect(machine, &policy::DATABASE, &call.name);
    }
    Data::unknown()
}

/// Clients with verbs of their own beside a query language.
fn own_verbs(machine: &mut Machine<'_>, call: &Call, options: &options::Options<'_>) {
    if call.is("influx surreal rqlite")
        && options
            .operands
            .iter()
            .take(3)
            .any(|word| matches!(*word, "delete" | "restore" | "remove"))
    {
        effect(machine, &policy::DESTROY, &call.name);
    }
}

/// Files that sqlite's own commands write, and the database that it shows.
fn sqlite_files(
    machine: &mut Machine<'_>,
    call: &Call,
    options: &options::Options<'_>,
    texts: &[String],
) {
    for text in texts {
        let mut words = text.split_whitespace();
        let verb = words.next().unwrap_or("");
        if one_of(verb, ".output .once .backup .save .log .clone .archive")
            && let Some(file) = words.next_back()
        {
            writes(machine, file.trim_matches(['\'', '"']), super::How::Write);
        }
    }
    if call.name.contains("sqlite")
        && let Some(file) = options.operands.first()
    {
        // `file:PATH?mode=ro`
        let file = file.strip_prefix("file:").unwrap_or(file);
        super::reads(machine, file.split('?').next().unwrap_or(file));
    }
}

/// The statements that a client is given, with its input.
fn client(machine: &mut Machine<'_>, call: &Call) -> Data {
    let declared = clients::of(&call.name);
    let args = &declared.with_two_dashes(call.args());
    let (letters, names) = declared.options();
    let options = options::parse(args, &letters, &names, false);
    let mut texts: Vec<String> = options
        .values(declared.statements)
        .into_iter()
        .map(str::to_owned)
        .collect();
    if declared.takes_statements() {
        let statement = |word: &&&str| word.contains(' ') || word.starts_with('.');
        texts.extend(
            options
                .operands
                .iter()
                .filter(statement)
                .map(|word| (*word).to_owned()),
        );
    }
    shell_escapes(machine, &texts);
    sqlite_files(machine, call, &options, &texts);
    own_verbs(machine, call, &options);
    let file = options.operands.first().filter(|_| declared.has_file());
    let harmless = |place| {
        matches!(
            place,
            crate::place::PathClass::Temporary | crate::place::PathClass::Build
        )
    };
    let local_file =
        file.is_some_and(|file| *file == ":memory:" || harmless(super::place_of(machine, file)));
    let reads_only = declared
        .read_only
        .split(' ')
        .any(|name| options.given.iter().any(|(given, _)| *given == name));
    texts.extend(input(
        machine,
        call,
        declared,
        &options,
        texts.is_empty() && !reads_only,
    ));
    let commands = |text: &&String| !text.starts_with('.') || text.starts_with(".read");
    for text in texts.iter().filter(commands) {
        match sql::judge(text) {
            Sql::Reads => {}
            _ if local_file || reads_only => {}
            Sql::Changes => effect(machine, &policy::DATABASE, text),
            Sql::Destroys => effect(machine, &policy::SQL, text),
        }
    }
    Data::unknown()
}

/// The statements of the files that a client is given or, without any (`alone`), of its input. What nobody knows is a
/// question, with the host that would get it.
fn input(
    machine: &mut Machine<'_>,
    call: &Call,
    declared: &clients::Client,
    options: &options::Options<'_>,
    alone: bool,
) -> Vec<String> {
    // `@file`: SQL*Plus and its kin.
    let script = options
        .operands
        .iter()
        .find_map(|word| word.strip_prefix('@'));
    let mut files: Vec<&str> = options
        .values(declared.files)
        .into_iter()
        .chain(script)
        .collect();
    let mut texts = Vec::new();
    if alone && files.is_empty() {
        match (&call.stdin.text, &call.stdin.path) {
            (Some(text), _) => texts.push(text.to_string()),
            (None, Some(path)) => files.push(path),
            (None, None) => {
                let host = options
                    .values(declared.host)
                    .first()
                    .copied()
                    .or_else(|| address(options));
                let subject = format!(
                    "{} {} with input that nobody knows",
                    call.name,
                    host.unwrap_or("")
                );
                effect(machine, &policy::DATABASE, &subject);
            }
        }
    }
    // What was there when the run began may do here what it does.
    let here = !is_away(machine, call);
    let facts = machine.context.facts;
    files.retain(|file| !(here && facts.vouched(&machine.resolve(file, false)) == Some(true)));
    texts.extend(
        files
            .into_iter()
            .filter_map(|file| statements(machine, file)),
    );
    texts
}

/// The host of an address among the operands: `postgres://user@host/db`.
fn address<'a>(options: &options::Options<'a>) -> Option<&'a str> {
    let rest = options
        .operands
        .iter()
        .find_map(|word| Some(word.split_once("://")?.1))?;
    let rest = rest.split(['/', '?']).next()?;
    rest.rsplit('@').next()
}

/// The statements of a file, if they can be read; else it is a question.
fn statements(machine: &mut Machine<'_>, file: &str) -> Option<String> {
    let known = super::content(machine, file).text;
    let text = known.map(|text| text.to_string()).or_else(|| {
        let path = machine.resolve(file, false);
        machine.context.facts.text(&path)
    });
    match &text {
        Some(text) => {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            shell_escapes(machine, &lines);
        }
        None => effect(machine, &policy::DATABASE, file),
    }
    text
}

const READING: &[&str] = overnight_base::words!(
    "get mget ping info keys scan ttl type llen lrange hget hgetall smembers scard exists dbsize monitor \
     zrange strlen time client memory object hkeys xlen xrange role lastsave slowlog latency command pttl \
     zcard hlen echo select"
);

const DESTROYING: &[&str] = overnight_base::words!(
    "flushall flushdb del unlink shutdown rename expire swapdb debug script eval config slaveof \
     replicaof migrate restore ltrim hdel srem zrem module failover lpop rpop spop getdel xtrim \
     xdel"
);

fn redis(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "hpnauirsc", "user pass eval pattern", true);
    let mut words: Vec<String> = options
        .operands
        .iter()
        .map(|word| word.to_ascii_lowercase())
        .collect();
    if words.is_empty()
        && let Some(text) = &call.stdin.text
    {
        words = text
            .split_whitespace()
            .map(str::to_ascii_lowercase)
            .collect();
    }
    let verb = words.first().map_or("", String::as_str);
    if words
        .iter()
        .any(|word| matches!(word.as_str(), "flushall" | "flushdb"))
        || (DESTROYING.contains(&verb)
            && !(verb == "config" && words.get(1).is_some_and(|word| word == "get")))
    {
        // Behind another port than the usual one nobody knows whose data it is.
        let own_port = options.value("p", "").is_some_and(|port| port != "6379")
            && options.value("h", "").is_none_or(super::network::local)
            && options.value("u", "").is_none();
        let rule = if own_port {
            &policy::DATABASE
        } else {
            &policy::SQL
        };
        effect(machine, rule, verb);
    } else if !verb.is_empty() && !READING.contains(&verb) {
        effect(machine, &policy::DATABASE, verb);
    }
    Data::unknown()
}

const MONGO_DESTROYING: &[&str] = overnight_base::words!(
    "drop delete remove update replaceOne shutdown findAndModify findOneAnd renameCollection $out \
     $merge bulkWrite"
);

const CHANGING: &[&str] =
    overnight_base::words!("insert create aggregate( runCommand adminCommand load(");

fn mongo(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        "upf",
        "eval host port username password file",
        false,
    );
    let mut text = options.value("", "eval").unwrap_or("").to_owned();
    if let Some(input) = &call.stdin.text {
        text.push_str(input);
    }
    if MONGO_DESTROYING.iter().any(|word| text.contains(word)) {
        effect(machine, &policy::SQL, &call.name);
    } else if CHANGING.iter().any(|word| text.contains(word)) || call.stdin.text.is_none() {
        effect(machine, &policy::DATABASE, &call.name);
    }
    Data::unknown()
}

static ADMIN: Program = Program {
    names: "",
    destroys: "drop delete del purge purge_queue delete_* shutdown reset force_reset --delete rm kill debug/killall flush* clear decommission removenode defrag delete-records stop",
    safe: "status ping version extended-status processlist variables list list_* --list --describe member/list endpoint/health endpoint/status get status cluster_status info ring tablestats start",
    ..NONE
};

fn admin(machine: &mut Machine<'_>, call: &Call) -> Data {
    let rule = match call.name.as_str() {
        "dropdb"
        | "dropuser"
        | "pg_resetwal"
        | "pg_dropcluster"
        | "pg_rewind"
        | "elasticsearch-reset-password" => &policy::DESTROY,
        "pg_restore" | "mongorestore" => {
            if options::any(call.args(), "-l --list --dryRun") {
                return Data::unknown();
            }
            if options::any(call.args(), "-c --clean --drop") {
                &policy::DESTROY
            } else {
                &policy::DATABASE
            }
        }
        // An empty one more on this machine.
        "createdb" if !options::any(call.args(), "-h --host") => return Data::unknown(),
        "createdb" | "createuser" | "mysqlimport" | "mysql_secure_installation" | "initdb" => {
            &policy::DATABASE
        }
        _ => {
            let args = call.args();
            if options::any(args, "--delete") {
                effect(machine, &policy::DESTROY, &call.name);
            }
            if options::any(args, "--list --describe") {
                return Data::unknown();
            }
            return super::table::judge(machine, call, &ADMIN);
        }
    };
    effect(machine, rule, &call.name);
    Data::unknown()
}

/// Dumps read everything, into a file or to the output.
fn dump(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        "fhUpdPorunt",
        "file out host username port dbname result-file",
        false,
    );
    for file in options.values("f file out o result-file") {
        writes(machine, file, super::How::Write);
    }
    if call.name == "mysqlcheck" && options.has("r", "repair") {
        effect(machine, &policy::DATABASE, "mysqlcheck --repair");
    }
    Data::from_secrets()
}

fn migrate(machine: &mut Machine<'_>, call: &Call) -> Data {
    static MIGRATE: Program = Program {
        names: "",
        destroys: "clean drop reset drop-all dropAll db/drop database/drop database/reset migrate/reset db:drop db:drop:all schema:drop db/push/--force-reset undo:all db:migrate:undo* rollback rollback-all downgrade down fresh refresh repair migration:revert schema/drop schema/clean migrate:rollback force redo",
        safe: "generate upgrade/head init status current heads history revision migrate/dev migrate/status migrate/diff db/pull format studio validate check info prepare new create make up-to-date version inspect lint diff compile docs parse ls list seed/make migration/new migration/generate migration/add migrate/info introspect test debug deps",
        ..NONE
    };
    super::table::judge(machine, call, &MIGRATE)
}

/// Words of object mappers that take data away.
const ORM_DESTROYING: &[&str] = overnight_base::texts!(
    "delete_all|destroy_all|drop_table|drop_all|truncate|.delete(|::truncate|::query()->delete\
     |->delete()|->forceDelete()|dropIfExists|Schema::drop|DB::statement|DB::table|deleteMany\
     |execute_sql|TRUNCATE|DROP TABLE|DELETE FROM"
);

/// Code that runs with the application's data at hand.
pub(super) fn orm(machine: &mut Machine<'_>, text: &str) {
    if ORM_DESTROYING.iter().any(|word| text.contains(word)) {
        effect(machine, &policy::DESTROY, text);
    }
}

/// The clients' own escapes to the shell.
fn shell_escapes(machine: &mut Machine<'_>, texts: &[String]) {
    for text in texts {
        if let Some(command) = [".shell ", ".system ", "\\! ", "system "]
            .iter()
            .find_map(|prefix| text.trim_start().strip_prefix(prefix))
        {
            let command = command.to_owned();
            let heard = std::mem::take(&mut machine.unheard);
            runs_text(machine, &command, &Data::unknown());
            machine.unheard = heard;
        }
    }
}
