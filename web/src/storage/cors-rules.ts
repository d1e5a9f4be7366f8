import type { BucketCorsRule } from '@service/client';

/** A rule as it is typed: lists are texts with spaces or commas. */
export interface CorsDraft {
  readonly id: number;
  readonly origins: string;
  readonly methods: readonly string[];
  readonly headers: string;
  readonly exposed: string;
  readonly maxAge: string;
}

export const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const;

let lastId = 0;

export const newRule = (): CorsDraft => ({
  id: ++lastId,
  origins: '',
  methods: ['GET', 'HEAD'],
  headers: '*',
  exposed: 'ETag',
  maxAge: '3600',
});

export const draftOf = (rule: BucketCorsRule): CorsDraft => ({
  id: ++lastId,
  origins: rule.origins.join(' '),
  methods: rule.methods,
  headers: (rule.headers ?? []).join(' '),
  exposed: (rule.expose_headers ?? []).join(' '),
  maxAge: rule.max_age_seconds === undefined ? '' : String(rule.max_age_seconds),
});

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');

export const ruleOf = ({ origins, methods, headers, exposed, maxAge }: CorsDraft): BucketCorsRule => ({
  origins: listOf(origins),
  methods,
  headers: listOf(headers),
  expose_headers: listOf(exposed),
  ...(maxAge === '' ? {} : { max_age_seconds: Number(maxAge) }),
});
