import type { PolicyName } from "../policies.js";

/** What each policy does, in plain words. */
export const WHAT_IT_DOES: Readonly<Record<PolicyName, string>> = {
  random: "Any upstream, by chance, whatever was sent before.",
  round_robin: "Each upstream in turn, round and round.",
  least_used: "The one that has had the fewest requests so far, for its weight.",
  least_in_flight: "The one with the fewest requests in flight; of equals the least used.",
  two_choices: "Two upstreams by chance; the one of them with fewer in flight.",
  rendezvous: "Every session has one fixed upstream, found by hashing. No memory at all.",
  rendezvous_bounded:
    "The session's upstream, unless it has more than 1.25 times its share in flight; then its next choice.",
  table_last:
    "A table remembers which upstream had a prompt's last full block; a prompt that goes on from it follows. New ones go to the least in flight.",
  table_log:
    "As table_last, but the table remembers a prompt at log-spaced lengths, so that prompts which branch off earlier follow too.",
};

/** When to use what, as list items. */
export const WHICH_SUITS: readonly string[] = [
  "<b>Long prompts that grow or are shared, prompt caches that are paid for</b>: table_log, if one process decides (its memory is not shared). It finds nearly every prefix and still sends new ones to where there is room.",
  "<b>Many processes that share nothing</b>: rendezvous, if requests carry a session key. All agree without talking, but a busy session makes a busy upstream. rendezvous_bounded trades hits for evenness.",
  "<b>Short prompts, or no caches</b>: least_in_flight is the most even. two_choices comes close with two look-ups.",
  "<b>Quotas that count requests</b>: round_robin or least_used go over a limit of requests a minute least often.",
  "<b>random</b> is the yardstick: what needs no state at all.",
];
