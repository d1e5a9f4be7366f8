import { createHash } from 'node:crypto';
import { SEVERITIES, type Severity } from '../domain/ops-task-status.js';

/** A reported fault, or its resolution. */
export interface Report {
  readonly status: 'firing' | 'resolved';
  readonly dedupKey: string;
  readonly title: string;
  /** Undefined when the tag is looked up by the name of the alert. */
  readonly runbookTag: string | undefined;
  readonly severity: Severity;
  readonly source: string;
  readonly description: string | null;
  readonly url: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: Date;
  /** Set when the fault has ended. */
  readonly endsAt: Date | null;
}

/** The reason why one alert of a group was rejected. */
export interface Rejection {
  readonly index: number;
  readonly code: 'not_an_object' | 'invalid_status' | 'invalid_time' | 'no_labels';
}

export interface Reports {
  readonly reports: readonly Report[];
  readonly rejected: readonly Rejection[];
}

/** Names the missing or invalid field of a generic payload. */
export class GenericPayloadInvalid extends Error {
  constructor(
    readonly path: 'title' | 'status' | 'startsAt',
    message: string,
  ) {
    super(message);
  }
}

type Json = Readonly<Record<string, unknown>>;

const TITLE_CHARACTERS = 300;
const TEXT_CHARACTERS = 4_000;
const MAX_PAIRS = 64;
const KEY_CHARACTERS = 200;
const VALUE_CHARACTERS = 1_000;
const TAG = /^[A-Za-z0-9][\w.:-]{0,99}$/;

/**
 * Parses a body of `POST /ops/alert` (service document §4), from Alertmanager or in the generic form. Unknown fields
 * are ignored and long texts are truncated, so that no alert is lost because of its form.
 *
 * @throws {GenericPayloadInvalid}
 */
export function readReports(body: Json, now: Date): Reports {
  return body['version'] === '4' && Array.isArray(body['alerts'])
    ? ofAlertmanager(body, body['alerts'], now)
    : { reports: [ofGeneric(body, now)], rejected: [] };
}

function ofAlertmanager(body: Json, alerts: readonly unknown[], now: Date): Reports {
  const reports: Report[] = [];
  const rejected: Rejection[] = [];
  const commonTag = tagOf(objectOf(body['commonLabels'])['runbookTag']);
  for (const [index, alert] of alerts.entries()) {
    const read = ofAlert(alert, commonTag, now);
    if (typeof read === 'string') rejected.push({ index, code: read });
    else reports.push(read);
  }
  return { reports, rejected };
}

function ofAlert(alert: unknown, commonTag: string | undefined, now: Date): Report | Rejection['code'] {
  if (!isObject(alert)) return 'not_an_object';
  const status = alert['status'];
  // Each alert has a status of its own: a "firing" group may contain resolved alerts.
  if (status !== 'firing' && status !== 'resolved') return 'invalid_status';
  if (!isObject(alert['labels'])) return 'no_labels';
  const startsAt = timeOf(alert['startsAt']) ?? (alert['startsAt'] === undefined ? now : undefined);
  const endsAt = status === 'resolved' ? (timeOf(alert['endsAt']) ?? now) : null;
  if (startsAt === undefined) return 'invalid_time';

  const labels = pairsOf(alert['labels']);
  const annotations = pairsOf(alert['annotations']);
  const fingerprint = alert['fingerprint'];
  return {
    status,
    dedupKey: `am:${isFingerprint(fingerprint) ? fingerprint : hashOf(['alertmanager', sorted(labels)])}`,
    title: textOf(annotations['summary'] ?? labels['alertname'], TITLE_CHARACTERS) ?? 'Unnamed alert',
    runbookTag: tagOf(labels['runbookTag']) ?? tagOf(annotations['runbookTag']) ?? commonTag,
    severity: severityOf(labels['severity']),
    source: 'alertmanager',
    description: textOf(annotations['description'], TEXT_CHARACTERS),
    url: urlOf(alert['generatorURL']),
    labels,
    annotations,
    startsAt,
    endsAt,
  };
}

function ofGeneric(body: Json, now: Date): Report {
  const title = textOf(body['title'], TITLE_CHARACTERS);
  if (title === null) throw new GenericPayloadInvalid('title', 'title must be a text that describes the fault');
  const status = body['status'] ?? 'firing';
  if (status !== 'firing' && status !== 'resolved')
    throw new GenericPayloadInvalid('status', 'status must be firing or resolved');
  const startsAt = body['startsAt'] === undefined ? now : timeOf(body['startsAt']);
  if (startsAt === undefined)
    throw new GenericPayloadInvalid('startsAt', 'startsAt must be a time such as 2026-11-21T05:27:51Z');

  const labels = pairsOf(body['labels']);
  const source = textOf(body['source'], KEY_CHARACTERS) ?? 'generic';
  const given = textOf(body['dedupKey'], VALUE_CHARACTERS);
  return {
    status,
    dedupKey: given === null ? `generic:${hashOf([source, title, sorted(labels)])}` : `key:${given}`,
    title,
    runbookTag: tagOf(body['runbookTag']) ?? tagOf(labels['runbookTag']),
    severity: severityOf(body['severity']),
    source,
    description: textOf(body['description'], TEXT_CHARACTERS),
    url: urlOf(body['url']),
    labels,
    annotations: pairsOf(body['annotations']),
    startsAt,
    endsAt: status === 'resolved' ? now : null,
  };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

const isFingerprint = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{1,64}$/i.test(value);

/** PostgreSQL accepts neither NUL nor unpaired surrogates. */
const clean = (text: string): string => text.replace(/\0/g, '').replace(/\p{Cs}/gu, '\u{fffd}');

function textOf(value: unknown, characters: number): string | null {
  if (typeof value !== 'string') return null;
  const text = clean(value).trim();
  return text === '' ? null : text.slice(0, characters).replace(/\p{Cs}/gu, '');
}

function pairsOf(value: unknown): Record<string, string> {
  const pairs = Object.entries(objectOf(value))
    .filter(([, each]) => ['string', 'number', 'boolean'].includes(typeof each))
    .slice(0, MAX_PAIRS)
    .map(([name, each]) => [
      clean(name)
        .slice(0, KEY_CHARACTERS)
        .replace(/\p{Cs}/gu, ''),
      clean(String(each))
        .slice(0, VALUE_CHARACTERS)
        .replace(/\p{Cs}/gu, ''),
    ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

const tagOf = (value: unknown): string | undefined =>
  typeof value === 'string' && TAG.test(value) ? value : undefined;

const severityOf = (value: unknown): Severity => {
  const name = typeof value === 'string' ? value.toLowerCase() : '';
  return SEVERITIES.find((severity) => severity === name) ?? 'warning';
};

/** The zero time of Go, `0001-01-01`, means that there is no time. */
function timeOf(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1970 ? undefined : time;
}

function urlOf(value: unknown): string | null {
  const text = textOf(value, VALUE_CHARACTERS);
  return text !== null && /^https?:\/\//i.test(text) ? text : null;
}

const sorted = (labels: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1));

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
