//! One request: who asks, for which model, by which request line; then the script decides.
//! Whatever is wrong with the script itself is a 400 that says so: a script must be complete.

use std::error::Error;
use std::io;
use std::path::Path;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::{HeaderMap, Response, StatusCode, header};

use crate::begun::Begun;
use crate::body;
use crate::key::Key;
use crate::script::{Fault, Script};
use crate::server::Scripted;
use crate::wire::{ChatRequest, Said, Wire};

type Asked = Result<Json<ChatRequest>, JsonRejection>;

pub(crate) async fn openai(State(scripted): State<Scripted>, headers: HeaderMap, asked: Asked) -> Response<Body> {
    let key = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    answer(Wire::OpenAi, &scripted, key, asked).await
}

pub(crate) async fn anthropic(State(scripted): State<Scripted>, headers: HeaderMap, asked: Asked) -> Response<Body> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if text("anthropic-version").is_none() {
        return Refused::bad("anthropic-version: header is required").response(Wire::Anthropic);
    }
    answer(Wire::Anthropic, &scripted, text("x-api-key"), asked).await
}

async fn answer(wire: Wire, scripted: &Scripted, key: Option<&str>, asked: Asked) -> Response<Body> {
    let request = match admitted(wire, scripted, key, asked) {
        Ok(request) => request,
        Err(refused) => return refused.response(wire),
    };
    match reply(wire, scripted, &request).await {
        Ok(response) => response,
        Err(refused) => refused.response(wire),
    }
}

fn admitted(wire: Wire, scripted: &Scripted, key: Option<&str>, asked: Asked) -> Result<ChatRequest, Refused> {
    let options = &scripted.options;
    if options.api_key.is_some() && options.api_key.as_deref() != key {
        return Err(Refused::new(
            StatusCode::UNAUTHORIZED,
            "authentication_error",
            "wrong or missing API key",
        ));
    }
    let Json(request) = asked.map_err(|rejection| Refused::bad(rejection.body_text()))?;
    if wire == Wire::Anthropic && request.max_tokens.is_none() {
        return Err(Refused::bad("max_tokens: field required"));
    }
    if !options.models.is_empty() && !options.models.contains(&request.model) {
        return Err(Refused::new(
            StatusCode::NOT_FOUND,
            "model_not_found",
            format!("the model {:?} does not exist", request.model),
        ));
    }
    Ok(request)
}

async fn reply(wire: Wire, scripted: &Scripted, request: &ChatRequest) -> Result<Response<Body>, Refused> {
    let key = Key::from_prompt(&request.prompt()).map_err(Refused::bad)?;
    let mut begun = Begun::new(scripted.stats(), key.to_string())?;
    let script = match script(&scripted.options.answers.join(key.file())).await {
        Ok(script) => script,
        Err(refused) => {
            begun.end();
            return Err(refused);
        }
    };
    let fault = script.fault_for(begun.ordinal());
    tokio::time::sleep(fault.delay).await;
    if let Some(status) = fault.status {
        begun.end();
        return Ok(failure(wire, status, &fault));
    }
    let said = Said::new(request, &script.text, fault.finish);
    let broken = fault.broken.as_ref();
    let (kind, body) = if request.stream {
        let body = body::streamed(wire, &said, broken, begun);
        ("text/event-stream; charset=utf-8", body)
    } else {
        let json = wire.whole(&said).to_string();
        let body = body::whole(json.as_bytes(), broken, begun);
        ("application/json", body)
    };
    Ok(response(StatusCode::OK, &[(header::CONTENT_TYPE, kind)], body))
}

async fn script(path: &Path) -> Result<Script, Refused> {
    let wrong = |what: &str, error: &dyn Error| Refused::bad(format!("{what} {}: {error}", path.display()));
    let file = tokio::fs::read_to_string(path)
        .await
        .map_err(|error| wrong("no answer at", &error))?;
    Script::parse(&file).map_err(|error| wrong("broken script", &error))
}

/// A scripted failure before any answer: status, headers and an error body of the protocol.
fn failure(wire: Wire, status: StatusCode, fault: &Fault) -> Response<Body> {
    let usual = match status.as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        400..500 => "invalid_request_error",
        _ => "api_error",
    };
    let code = fault.error.as_deref().unwrap_or(usual);
    let message = fault.message.as_deref().unwrap_or("the script says so");
    let mut headers = vec![(header::CONTENT_TYPE, "application/json")];
    headers.extend(fault.retry_after.as_deref().map(|v| (header::RETRY_AFTER, v)));
    headers.extend(fault.location.as_deref().map(|v| (header::LOCATION, v)));
    let body = Body::from(wire.error(code, message).to_string());
    response(status, &headers, body)
}

fn response(status: StatusCode, headers: &[(header::HeaderName, &str)], body: Body) -> Response<Body> {
    let mut builder = Response::builder().status(status);
    for (name, value) in headers {
        builder = builder.header(name, *value);
    }
    builder.body(body).unwrap_or_else(|error| {
        // Only a header value out of the script can be at fault here.
        let refused = Refused::bad(format!("the script's headers: {error}"));
        refused.response(Wire::OpenAi)
    })
}

/// Why this server itself, not a script, turns a request down.
struct Refused {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl Refused {
    fn new(status: StatusCode, code: &'static str, message: impl ToString) -> Self {
        Self {
            status,
            code,
            message: message.to_string(),
        }
    }

    fn bad(message: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", message)
    }

    fn response(&self, wire: Wire) -> Response<Body> {
        let body = wire.error(self.code, &self.message).to_string();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        response.headers_mut().insert(
            header::CONTENT_TYPE,
            header::HeaderValue::from_static("application/json"),
        );
        response
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        let message = format!("the log cannot be written: {error}");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "api_error", message)
    }
}
