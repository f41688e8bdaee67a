//! Addresses of players: `http://host:port/path`.

use std::fmt;

use thiserror::Error;

/// The port on which players listen if nothing else is said.
pub const DEFAULT_PORT: u16 = 9147;

/// The address of a player.
///
/// ```
/// use hyperplay_net::http::client::Address;
///
/// let address = Address::parse("http://player.example:4001/ggp").unwrap();
/// assert_eq!((&*address.host, address.port, &*address.path), ("player.example", 4001, "/ggp"));
/// let address = Address::parse("http://[::1]").unwrap();
/// assert_eq!(address.to_string(), "http://[::1]:9147/");
/// let error = Address::parse("https://player.example").unwrap_err();
/// assert!(error.to_string().contains("players of the field speak plain HTTP"));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// The host: a name or a number, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The path, which begins with `/`.
    pub path: String,
}

/// Why a text is no address of a player, and what to write.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct AddressError(String);

impl Address {
    /// Reads an address. The port is [`DEFAULT_PORT`] if none is given, the path `/`.
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        let wrong = |why: &str| AddressError(format!("`{}`{why}", text.escape_debug()));
        // A blank or a line end would end the request line, a fragment is never sent, and players know no passwords.
        let is_wrong = |c: char| !c.is_ascii_graphic() || matches!(c, '#' | '@' | '\\' | '"' | '<' | '>');
        if let Some(character) = text.chars().find(|&c| is_wrong(c)) {
            return Err(wrong(&format!(
                ": the character {character:?} cannot stand in the address of a player"
            )));
        }
        let folded = text.to_ascii_lowercase();
        if folded.starts_with("https://") {
            return Err(wrong(
                ": https is not spoken; players of the field speak plain HTTP: write http://HOST:PORT",
            ));
        }
        if !folded.starts_with("http://") {
            return Err(wrong(
                " does not begin with http://; write http://HOST:PORT, such as http://127.0.0.1:9147",
            ));
        }
        let rest = &text["http://".len()..];
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, port)) => (host, port),
            None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
        };
        if host.is_empty() {
            return Err(wrong(" names no host; write http://HOST:PORT, such as http://127.0.0.1:9147"));
        }
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => DEFAULT_PORT,
            number => {
                let number = number.unwrap_or(port);
                let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
                let port = is_number.then(|| number.parse().ok()).flatten().filter(|&port| port > 0);
                port.ok_or_else(|| {
                    wrong(&format!(": `{number}` is no port; it is a number from 1 to 65535"))
                })?
            }
        };
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Address { host: host.to_owned(), port, path })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address { host, port, path } = self;
        if host.contains(':') {
            write!(f, "http://[{host}]:{port}{path}")
        } else {
            write!(f, "http://{host}:{port}{path}")
        }
    }
}
