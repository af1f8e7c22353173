//! A headless browser over its own debugging pipe: JSON messages that end with a NUL, on two descriptors.
//!
//! No port is opened and nothing is installed beside the browser. It ends with the test that started it.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What a page was seen to do and to hold.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Every address that was asked for, but those that carry their content themselves.
    pub(crate) requests: Vec<String>,
    /// Console messages, exceptions, log entries, violations of the policy.
    pub(crate) complaints: Vec<String>,
    /// Script elements.
    pub(crate) scripts: u64,
    /// Attributes that would run something.
    pub(crate) handlers: u64,
    /// Whether something did run.
    pub(crate) pwned: bool,
    /// Images that show nothing.
    pub(crate) broken_images: u64,
    /// Pixels by which it is wider than its window.
    pub(crate) wide_by: i64,
    /// Between the letters and the paper.
    pub(crate) contrast: f64,
}

/// Evaluated in the page from outside, where no policy of the page applies.
const LOOK: &str = include_str!("look.js");

pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    last: u64,
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub(crate) fn start(program: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new("/bin/sh")
            // The browser reads descriptor 3 and writes descriptor 4.
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>&2", program])
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-dev-shm-usage",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("{program}: {e}"));
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut browser = Self {
            child,
            to,
            from: BufReader::new(from),
            session: None,
            last: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Network", "Runtime", "Log", "Audits"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Has the page read in a window of this width, by somebody who likes it light or dark.
    pub(crate) fn look(&mut self, path: &Path, width: u32, scheme: &str) -> Seen {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}),
        );
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
        self.events.clear();
        self.call("Page.navigate", json!({"url": format!("file://{}", path.display())}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            self.read();
        }
        let looked = self.call(
            "Runtime.evaluate",
            json!({"expression": LOOK, "returnByValue": true, "awaitPromise": true}),
        );
        let value = &looked["result"]["value"];
        assert!(value.is_object(), "{looked}");
        Seen {
            requests: self.requests(),
            complaints: self.complaints(),
            scripts: value["scripts"].as_u64().unwrap(),
            handlers: value["handlers"].as_u64().unwrap(),
            pwned: value["pwned"].as_bool().unwrap(),
            broken_images: value["broken"].as_u64().unwrap(),
            wide_by: value["wide"].as_i64().unwrap(),
            contrast: value["contrast"].as_f64().unwrap(),
        }
    }

    /// A picture of the whole page, as PNG.
    pub(crate) fn picture(&mut self, width: u32) -> Vec<u8> {
        use base64::Engine as _;
        let height = self.call("Page.getLayoutMetrics", json!({}))["cssContentSize"]["height"].clone();
        let clip = json!({"x": 0, "y": 0, "width": width, "height": height, "scale": 1});
        let shot = self.call(
            "Page.captureScreenshot",
            json!({"captureBeyondViewport": true, "clip": clip}),
        );
        let data = shot["data"].as_str().unwrap();
        base64::engine::general_purpose::STANDARD.decode(data).unwrap()
    }

    fn requests(&self) -> Vec<String> {
        let asked = self
            .events
            .iter()
            .filter(|event| event["method"] == "Network.requestWillBeSent");
        let urls = asked.map(|event| event["params"]["request"]["url"].as_str().unwrap().to_owned());
        urls.filter(|url| !url.starts_with("data:")).collect()
    }

    fn complaints(&self) -> Vec<String> {
        let methods = [
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
            "Audits.issueAdded",
            "Page.javascriptDialogOpening",
        ];
        let told = self.events.iter();
        let told = told.filter(|event| methods.iter().any(|method| event["method"] == *method));
        told.map(Value::to_string).collect()
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = session.clone().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.read();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// The next message; events are kept.
    fn read(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).unwrap();
        assert_eq!(
            bytes.pop(),
            Some(0),
            "the browser ended; does INTERLOCK_BROWSER name one that starts here?"
        );
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        if message["method"].is_string() {
            self.events.push(message.clone());
        }
        message
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It is closed from inside, so that its own children end with it; the kill is for one that hangs.
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let mut rest = Vec::new();
        while self.from.read_until(0, &mut rest).is_ok_and(|read| read > 0) {
            rest.clear();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
