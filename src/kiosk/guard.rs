//! Those who may ask: a browser that means this server, and a page of this server.
//!
//! - The `Host` header must name an address of this computer or a name that it was given. So a foreign name that is
//!   made to lead here (DNS rebinding) reads nothing.
//! - A request that changes something comes as JSON by POST, and from a page of this server: if a browser says where a
//!   request comes from (`Origin`, `Sec-Fetch-Site`), it must be here. A form of a foreign page cannot send JSON
//!   without asking first.
//! - Every answer forbids scripts and styles that are not files of this server, frames, and foreign connections.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, header};
use axum::middleware::Next;
use axum::response::IntoResponse as _;

use super::Kiosk;
use super::answers::{KioskRefusal, refusal};

/// The headers that every answer has for the browser.
const HEADERS: [(&str, &str); 5] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Lets a request through, or refuses it, and puts the headers on the answer.
pub(super) async fn guard(State(kiosk): State<Arc<Kiosk>>, request: Request, next: Next) -> Response<Body> {
    let mut response = match refused(&kiosk.options.names, request.method(), request.headers()) {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

fn refused(names: &[String], method: &Method, headers: &HeaderMap) -> Option<KioskRefusal> {
    let text = |name: HeaderName| {
        let mut values = headers.get_all(name).iter();
        let value = values.next().map(|value| value.to_str().unwrap_or("?"));
        if values.next().is_some() { Some("?") } else { value }
    };
    let host = text(header::HOST).unwrap_or("");
    if !is_own(host, names) {
        let error = format!("this server is not called '{host:.100}'");
        let remedy = "use the address that `hyperplay kiosk` printed, or give it the name with --name";
        return Some(refusal(421, error, remedy));
    }
    if method == Method::GET || method == Method::HEAD {
        return None;
    }
    let foreign = || refusal(403, "a page of another server may not do this", "open the page of this server");
    if text(header::ORIGIN).is_some_and(|origin| origin != format!("http://{host}")) {
        return Some(foreign());
    }
    let site = text(HeaderName::from_static("sec-fetch-site"));
    if site.is_some_and(|site| site != "same-origin" && site != "none") {
        return Some(foreign());
    }
    let kind = text(header::CONTENT_TYPE).unwrap_or("");
    let is_json =
        kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    (!is_json)
        .then(|| refusal(403, "what changes something comes as JSON", "send Content-Type: application/json"))
}

/// Whether a value of `Host` names this server: any address, because a name is what an attacker can choose,
/// `localhost`, or one of these names.
fn is_own(host: &str, names: &[String]) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            (name, Some(port))
        }
        _ => (host, None),
    };
    let is_address = match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inside) => inside.parse::<std::net::Ipv6Addr>().is_ok(),
        None => name.parse::<IpAddr>().is_ok_and(|address| address.is_ipv4()),
    };
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    let is_named =
        name.eq_ignore_ascii_case("localhost") || names.iter().any(|own| own.eq_ignore_ascii_case(name));
    is_port && (is_address || is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(method: Method, pairs: &[(&'static str, &str)]) -> Option<u16> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        refused(&["table.example".to_owned()], &method, &headers).map(|refusal| refusal.status)
    }

    #[test]
    fn a_host_must_be_an_address_or_a_name_of_this_server() {
        for host in
            ["127.0.0.1:8080", "[::1]:8080", "localhost", "LOCALHOST:1", "table.example:8080", "10.0.0.1"]
        {
            assert_eq!(status(Method::GET, &[("host", host)]), None, "{host}");
        }
        for host in [
            "",
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example:8080",
            "127.0.0.1:x",
            "::1",
        ] {
            assert_eq!(status(Method::GET, &[("host", host)]), Some(421), "{host}");
        }
        assert_eq!(status(Method::GET, &[]), Some(421));
        assert_eq!(status(Method::GET, &[("host", "localhost"), ("host", "evil.example")]), Some(421));
    }

    #[test]
    fn only_pages_of_this_server_change_something() {
        let own = [("host", "localhost:8080"), ("content-type", "application/json")];
        let with = |more: &[(&'static str, &str)]| status(Method::POST, &[&own[..], more].concat());
        assert_eq!(with(&[]), None);
        assert_eq!(with(&[("origin", "http://localhost:8080"), ("sec-fetch-site", "same-origin")]), None);
        for origin in ["http://evil.example", "null", "http://localhost:8081", "https://localhost:8080"] {
            assert_eq!(with(&[("origin", origin)]), Some(403), "{origin}");
        }
        assert_eq!(with(&[("sec-fetch-site", "cross-site")]), Some(403));
        for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
            assert_eq!(status(Method::POST, &[own[0], ("content-type", kind)]), Some(403), "{kind}");
        }
    }
}
