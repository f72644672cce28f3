//! Who is let in to the desk's page. The nearest attacker is an agent: the same user, on the same
//! loopback, with every page that it can have a browser open. So a request needs the cookie, which no
//! script reads, the key, which only the page's own origin has, and to change anything a word that
//! counts once.

use std::collections::VecDeque;

/// The page ends when nobody used it for so long.
const IDLE_MS: u64 = 30 * 60 * 1_000;
/// Words that count once and were not used yet: a page has one, and several may be open.
const ONCE_MAX: usize = 32;
/// Bytes of a request's body.
const BODY_BYTES_MAX: usize = 64 << 10;
/// The cookie's name.
const COOKIE: &str = "overnight_desk";

/// What every answer says beside its content: nothing is loaded from elsewhere, framed, kept or guessed.
pub const HEADERS: [(&str, &str); 8] = [
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    (
        "Permissions-Policy",
        "clipboard-read=(), camera=(), microphone=(), geolocation=()",
    ),
];

/// A request's head.
#[derive(Debug, Clone, Default)]
pub struct Asked<'a> {
    /// The method.
    pub method: &'a str,
    /// The path with everything behind it.
    pub path: &'a str,
    /// Its headers.
    pub headers: Vec<(&'a str, &'a str)>,
}

impl<'a> Asked<'a> {
    fn all(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let named = self.headers.iter();
        named
            .filter(move |(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| *value)
    }

    /// The header's value, where it is there exactly once.
    fn one(&self, name: &str) -> Option<&'a str> {
        let mut all = self.all(name);
        all.next().filter(|_| all.next().is_none())
    }
}

/// What an admitted request is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// The empty page, its script or its style: public code without a word of the run.
    Page,
    /// The script.
    Script,
    /// The style.
    Style,
    /// The token was exchanged.
    Entered,
    /// The desk.
    Desk,
    /// The lines of a hunk.
    Hunk(String),
    /// A person's wish.
    Wish,
}

/// A refused request: the status and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused(pub u16, pub &'static str);

/// What one desk handed out.
#[derive(Debug)]
pub struct Admission {
    authority: String,
    token: Option<String>,
    cookie: String,
    key: String,
    once: VecDeque<String>,
    used_ms: u64,
}

impl Admission {
    /// Admission at this port, by secrets that nobody may guess.
    pub fn new(port: u16, [token, cookie, key]: [String; 3], now_ms: u64) -> Self {
        Self {
            authority: format!("127.0.0.1:{port}"),
            token: Some(token),
            cookie,
            key,
            once: VecDeque::new(),
            used_ms: now_ms,
        }
    }

    /// The address that opens the page, once.
    pub fn address(&self) -> String {
        let token = self.token.as_deref().unwrap_or_default();
        format!("http://{}/#{token}", self.authority)
    }

    /// The cookie for whoever brought the token.
    pub fn cookie(&self) -> String {
        format!(
            "{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/",
            self.cookie
        )
    }

    /// The key that the page keeps to itself.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Hands out a word that counts once.
    pub fn hand_out(&mut self, word: String) {
        self.once.push_back(word);
        if self.once.len() > ONCE_MAX {
            self.once.pop_front();
        }
    }

    /// Takes such a word back: it counted, and never does again.
    pub fn take(&mut self, word: &str) -> Result<(), Refused> {
        let at = self.once.iter().position(|known| same(known, word));
        let taken = at.and_then(|at| self.once.remove(at));
        taken.map(drop).ok_or(Refused(
            409,
            "this was sent before, or the page is old: load it anew",
        ))
    }

    /// Did nobody use the page for too long?
    pub fn is_over(&self, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.used_ms) >= IDLE_MS
    }

    /// Lets a request in, or says why not.
    pub fn admit(&mut self, asked: &Asked, now_ms: u64) -> Result<Way, Refused> {
        // A name that was rebound to this address is not ours.
        if asked.one("Host") != Some(self.authority.as_str()) {
            return Err(Refused(
                403,
                "this is not the host that it was asked for as",
            ));
        }
        let sites = ["same-origin", "none"];
        if asked
            .all("Sec-Fetch-Site")
            .any(|site| !sites.contains(&site))
        {
            return Err(Refused(403, "another site asks"));
        }
        let origin = format!("http://{}", self.authority);
        let foreign = asked.all("Origin").any(|from| from != origin);
        let sent = asked.one("Origin").is_some();
        match asked.method {
            _ if foreign => Err(Refused(403, "another origin asks")),
            "GET" => self.get(asked, now_ms),
            "POST" if !sent => Err(Refused(403, "who asks does not say from where")),
            "POST" => self.post(asked, now_ms),
            _ => Err(Refused(405, "there are GET and POST")),
        }
    }

    fn get(&mut self, asked: &Asked, now_ms: u64) -> Result<Way, Refused> {
        match asked.path {
            "/" => return Ok(Way::Page),
            "/desk.js" => return Ok(Way::Script),
            "/desk.css" => return Ok(Way::Style),
            _ => self.known(asked, now_ms)?,
        }
        if asked.path == "/desk" {
            return Ok(Way::Desk);
        }
        let key = asked
            .path
            .strip_prefix("/hunk/")
            .filter(|key| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_hexdigit()));
        key.map(|key| Way::Hunk(key.to_owned()))
            .ok_or(Refused(404, "there is nothing here"))
    }

    fn post(&mut self, asked: &Asked, now_ms: u64) -> Result<Way, Refused> {
        match asked.path {
            "/session" => {
                let brought = asked.one("Authorization");
                let brought = brought.and_then(|value| value.strip_prefix("Bearer "));
                let right = |token: &String| brought.is_some_and(|brought| same(token, brought));
                if !self.token.as_ref().is_some_and(right) {
                    return Err(Refused(
                        403,
                        "this address was used before, or is another desk's: begin anew with overnight review --web",
                    ));
                }
                self.token = None;
                self.used_ms = now_ms;
                Ok(Way::Entered)
            }
            "/wish" => {
                self.known(asked, now_ms)?;
                let length = asked
                    .one("Content-Length")
                    .and_then(|text| text.parse().ok());
                match (asked.one("Content-Type"), length) {
                    (Some("application/json"), Some(0..=BODY_BYTES_MAX)) => Ok(Way::Wish),
                    (Some("application/json"), _) => Err(Refused(413, "that is too long")),
                    _ => Err(Refused(415, "a wish is JSON")),
                }
            }
            _ => Err(Refused(404, "there is nothing here")),
        }
    }

    /// Only the page has both. A cookie alone proves little: a page at another port of this host gets
    /// it from the browser as well.
    fn known(&mut self, asked: &Asked, now_ms: u64) -> Result<(), Refused> {
        let cookies = asked.all("Cookie").flat_map(|all| all.split(';'));
        let mut ours = cookies.filter_map(|one| one.trim().split_once('='));
        let cookie = ours.any(|(name, value)| name == COOKIE && same(&self.cookie, value));
        let key = asked
            .one("X-Desk-Key")
            .is_some_and(|key| same(&self.key, key));
        if !cookie || !key {
            return Err(Refused(
                401,
                "open the address that the terminal shows: it lets in once",
            ));
        }
        self.used_ms = now_ms;
        Ok(())
    }
}

/// Are they the same? In a time that does not tell where they differ.
fn same(one: &str, other: &str) -> bool {
    let differ = one
        .bytes()
        .zip(other.bytes())
        .fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && differ == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: (&str, &str) = ("Host", "127.0.0.1:4711");
    const ORIGIN: (&str, &str) = ("Origin", "http://127.0.0.1:4711");
    const COOKIES: (&str, &str) = ("Cookie", "a=b; overnight_desk=cookie");
    const KEY: (&str, &str) = ("X-Desk-Key", "key");
    const JSON: [(&str, &str); 2] = [
        ("Content-Type", "application/json"),
        ("Content-Length", "2"),
    ];

    fn admission() -> Admission {
        Admission::new(4711, ["token", "cookie", "key"].map(String::from), 0)
    }

    fn asked<'a>(method: &'a str, path: &'a str, headers: &[&[(&'a str, &'a str)]]) -> Asked<'a> {
        Asked {
            method,
            path,
            headers: headers.concat(),
        }
    }

    #[test]
    fn the_token_lets_in_once_and_only_by_our_own_page() {
        let mut admission = admission();
        assert_eq!(admission.address(), "http://127.0.0.1:4711/#token");
        let bearer = ("Authorization", "Bearer token");
        for headers in [
            &[HOST, bearer][..],
            &[HOST, ("Origin", "http://evil.example"), bearer],
            &[HOST, ORIGIN, ("Origin", "http://evil.example"), bearer],
            &[HOST, ORIGIN, ("Authorization", "Bearer tokem")],
            &[("Host", "evil.example:4711"), ORIGIN, bearer],
            &[("Host", "localhost:4711"), ORIGIN, bearer],
            &[ORIGIN, bearer],
        ] {
            let refused = admission.admit(&asked("POST", "/session", &[headers]), 1);
            assert_eq!(refused.unwrap_err().0, 403, "{headers:?}");
        }
        let right = [HOST, ORIGIN, bearer];
        assert_eq!(
            admission.admit(&asked("POST", "/session", &[&right]), 1),
            Ok(Way::Entered)
        );
        assert_eq!(
            admission
                .admit(&asked("POST", "/session", &[&right]), 1)
                .unwrap_err()
                .0,
            403
        );
    }

    #[test]
    fn nothing_of_the_run_is_told_without_cookie_and_key() {
        let mut admission = admission();
        for path in ["/", "/desk.js", "/desk.css"] {
            assert!(
                admission.admit(&asked("GET", path, &[&[HOST]]), 1).is_ok(),
                "{path}"
            );
        }
        for path in ["/desk", "/hunk/00ff", "/elsewhere"] {
            for headers in [
                &[HOST][..],
                &[HOST, COOKIES],
                &[HOST, KEY],
                &[HOST, ("Cookie", "overnight_desk=cooky"), KEY],
            ] {
                let refused = admission
                    .admit(&asked("GET", path, &[headers]), 1)
                    .unwrap_err();
                assert_eq!(refused.0, 401, "{path} {headers:?}");
            }
        }
        let known = [HOST, COOKIES, KEY];
        assert_eq!(
            admission.admit(&asked("GET", "/desk", &[&known]), 1),
            Ok(Way::Desk)
        );
        assert_eq!(
            admission.admit(&asked("GET", "/hunk/00ff", &[&known]), 1),
            Ok(Way::Hunk("00ff".into()))
        );
        let cross = [HOST, COOKIES, KEY, ("Sec-Fetch-Site", "cross-site")];
        assert_eq!(
            admission
                .admit(&asked("GET", "/desk", &[&cross]), 1)
                .unwrap_err()
                .0,
            403
        );
        assert_eq!(
            admission
                .admit(&asked("GET", "/hunk/..%2f", &[&known]), 1)
                .unwrap_err()
                .0,
            404
        );
    }

    #[test]
    fn no_get_is_a_wish_and_a_wish_counts_once() {
        let mut admission = admission();
        let known = [HOST, COOKIES, KEY];
        assert_eq!(
            admission
                .admit(&asked("GET", "/wish", &[&known]), 1)
                .unwrap_err()
                .0,
            404
        );
        assert_eq!(
            admission
                .admit(&asked("POST", "/wish", &[&known, &JSON]), 1)
                .unwrap_err()
                .0,
            403
        );
        let whole = asked("POST", "/wish", &[&known, &[ORIGIN], &JSON]);
        assert_eq!(admission.admit(&whole, 1), Ok(Way::Wish));
        let form = [("Content-Type", "text/plain"), ("Content-Length", "2")];
        let form = asked("POST", "/wish", &[&known, &[ORIGIN], &form]);
        assert_eq!(admission.admit(&form, 1).unwrap_err().0, 415);
        let long = [
            ("Content-Type", "application/json"),
            ("Content-Length", "99999"),
        ];
        let long = asked("POST", "/wish", &[&known, &[ORIGIN], &long]);
        assert_eq!(admission.admit(&long, 1).unwrap_err().0, 413);
        admission.hand_out("w1".into());
        assert_eq!(admission.take("w2").unwrap_err().0, 409);
        assert_eq!(admission.take("w1"), Ok(()));
        assert_eq!(admission.take("w1").unwrap_err().0, 409);
    }

    #[test]
    fn only_who_is_known_keeps_it_open() {
        let mut admission = admission();
        let _ = admission.admit(&asked("GET", "/", &[&[HOST]]), IDLE_MS - 1);
        assert!(admission.is_over(IDLE_MS));
        let _ = admission.admit(
            &asked("GET", "/desk", &[&[HOST, COOKIES, KEY]]),
            IDLE_MS - 1,
        );
        assert!(!admission.is_over(IDLE_MS) && admission.is_over(2 * IDLE_MS));
    }
}
