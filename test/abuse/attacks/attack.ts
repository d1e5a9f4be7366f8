import {
  type ExecutionStatus,
  type Language,
  type SandboxOutcome,
} from '../../../src/modules/sandbox/domain/sandbox-runtime.js';

export interface Attack {
  readonly name: string;
  readonly language: Language;
  readonly code: string;
  /** How the run may end. */
  readonly status: ExecutionStatus | readonly ExecutionStatus[];
  /** All that the run may have printed; unset, anything. */
  readonly stdout?: string;
  /** Unset, two seconds. */
  readonly timeoutMs?: number;
  /** How many processes the program may start; unset, none. */
  readonly processes?: number;
  /** What else must hold. */
  readonly check?: (outcome: SandboxOutcome) => void;
}

/** The same attack in both languages that it can be written in. */
export function inBoth(
  name: string,
  code: { readonly javascript: string; readonly python: string },
  expected: Omit<Attack, 'name' | 'language' | 'code'>,
): Attack[] {
  return [
    { name, language: 'javascript', code: code.javascript, ...expected },
    { name, language: 'python', code: code.python, ...expected },
  ];
}

export function inPython(name: string, code: string, expected: Omit<Attack, 'name' | 'language' | 'code'>): Attack {
  return { name, language: 'python', code, ...expected };
}

export function inJavaScript(name: string, code: string, expected: Omit<Attack, 'name' | 'language' | 'code'>): Attack {
  return { name, language: 'javascript', code, ...expected };
}

/** For attacks that go on until they are ended. */
export const SHORT_MS = 300;

/** For a program that tries something and says how it went. */
export const REFUSED = { status: 'succeeded', stdout: 'refused\n' } as const;
