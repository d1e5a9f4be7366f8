import { trimEnd } from '../../../platform/text/trim.js';

/** Escape sequences of terminals: CSI, OSC and the two-character ones. */
const ESCAPES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])|\u009b[0-?]*[ -/]*[@-~]/g;
/** All other control characters except the tab, and characters that reverse the direction of text. */
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Returns a line of a program as text that can be shown anywhere. Of a progress bar, the last state remains. */
export function cleanText(line: string): string {
  const shown = trimEnd(line, '\r');
  return shown
    .slice(shown.lastIndexOf('\r') + 1)
    .replace(ESCAPES, '')
    .replace(CONTROLS, '');
}
