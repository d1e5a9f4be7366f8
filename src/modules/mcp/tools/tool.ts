import type { PlanFeature } from '../../plans/plan.js';
import type { Scope } from '../../auth/scopes.js';

/** A JSON Schema, as tools describe their arguments and results. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const TOOL_GROUPS = [
  'account',
  'projects',
  'repositories',
  'deploys',
  'sandbox',
  'databases',
  'storage',
  'agents',
  'billing',
  'help',
] as const;
export type ToolGroup = (typeof TOOL_GROUPS)[number];

/**
 * A tool is a route of the API. Its arguments are the parameters and body fields of the route, and its rights, limits
 * and errors are those of the route.
 */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Written for a model: what it does, when to use it, and what to do next. */
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path as the API document has it, such as `/api/v1/projects/{project_id}`. */
  readonly path: string;
  /** `destroys` is a write that can take away what was there. */
  readonly effect: 'reads' | 'writes' | 'destroys';
  /** True when a second call with the same arguments changes nothing more. A tool that reads always is. */
  readonly isRepeatable?: boolean;
  /** True when the tool hands data to others, such as a signed link. A read-only caller does not see it. */
  readonly sendsDataOut?: boolean;
  /** Scopes that the route checks besides the one that it declares. */
  readonly alsoNeeds?: readonly Scope[];
  /** What the plan of the organization must include. */
  readonly planFeature?: PlanFeature;
  /** Parameters and body fields of the route that the tool does not offer. */
  readonly omits?: readonly string[];
  /** Values of such fields that every call sends. */
  readonly sends?: Readonly<Record<string, unknown>>;
  /** True when every call is a dry run of the route, which changes nothing. */
  readonly isDryRun?: boolean;
  /** Arguments that the service reads itself, and does not pass to the route. */
  readonly ownArguments?: Readonly<Record<string, JsonSchema>>;
  /** The arguments of a route that the API document does not describe, and where each is sent. */
  readonly undocumented?: {
    readonly in: 'path' | 'query' | 'body';
    readonly properties: Readonly<Record<string, JsonSchema>>;
  };
  /** The own arguments whose text is the body of the route as it is, and its media type. */
  readonly sendsText?: { readonly text: string; readonly mediaType: string };
  /** The own arguments whose bytes are the body of the route, and how they are written: `text` or `base64`. */
  readonly sendsBytes?: { readonly content: string; readonly encoding: string };
  /** The own argument that says at which byte the answer begins. */
  readonly beginsAt?: string;
  /** The only fields of each item that the tool returns. */
  readonly keeps?: readonly string[];
  /**
   * How the answer of the route is read: JSON by default, lines of NDJSON that have a `text`, a text as it is, or a
   * file, which is shown by what is in it: text, an image or other bytes. The route of a file returns no ranges.
   */
  readonly answers?: 'json' | 'lines' | 'text' | 'file';
  /**
   * Whose words the answer holds, for example `the build`. Such an answer is returned inside of a random boundary, so
   * that a model can tell it from words of its own caller, and without a structured copy.
   */
  readonly quotes?: string;
  /** True when the answer is an execution: its images are shown as images, and only its long texts are cut. */
  readonly answersExecution?: boolean;
  /** How to get the rest of an answer that was cut. */
  readonly goesOnWith?: string;
  /** True when the answer is a deploy whose end the tool waits for. */
  readonly waitsForDeploy?: boolean;
  /** Asks a person before the call. The message names what happens. */
  readonly asks?: string;
  /** True when the tool changes databases that are branches, and others only where the address allows it. */
  readonly staysOnBranches?: boolean;
  /** True for a tool that a run of an agent may not use: it would begin work outside of the limits of the run. */
  readonly isNotForRuns?: boolean;
  /** True when the tool touches no project, so that it stays listed for a caller that is narrowed to one. */
  readonly isOutsideProjects?: boolean;
}

export interface ToolFile {
  readonly group: ToolGroup;
  readonly tools: readonly Tool[];
}
