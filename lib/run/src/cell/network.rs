//! What the code in a cell reaches of the network.

use overnight_base::value::{Kind, Typed, Value};
use serde::{Deserialize, Serialize};

/// How much of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// All of it.
    #[default]
    Open,
    /// Loopback alone.
    None,
    /// Loopback's servers of tests, and these ports anywhere, over TCP.
    Ports(Vec<u16>),
}

/// The words of `cell.network`, the strictest first.
pub const NETWORKS: Kind = Kind::Ports(&["none", "open"]);

impl Typed for Network {
    fn typed(value: Option<Value>) -> Self {
        match value {
            Some(Value::Text(word)) if word == "none" => Self::None,
            Some(Value::List(ports)) => {
                Self::Ports(ports.iter().filter_map(|port| port.parse().ok()).collect())
            }
            _ => Self::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_network_is_a_word_or_ports_and_the_stricter_one_is_known() {
        let read = |text: &str| {
            let table: toml::Table = format!("x = {text}").parse().unwrap();
            NETWORKS.read_toml(&table["x"])
        };
        let typed = |text: &str| Network::typed(read(text));
        assert_eq!(typed("\"open\""), Network::Open);
        assert_eq!(typed("\"none\""), Network::None);
        assert_eq!(typed("[443, 80]"), Network::Ports(vec![443, 80]));
        for wrong in ["\"some\"", "443", "[0]", "[65536]", "[\"http\"]"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        let order = ["\"none\"", "[443]", "[443, 80]", "\"open\""].map(|text| read(text).unwrap());
        for (at, one) in order.iter().enumerate() {
            for (other_at, other) in order.iter().enumerate() {
                assert_eq!(NETWORKS.below(one, other), Some(at < other_at));
            }
        }
    }
}
