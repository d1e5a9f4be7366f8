import type { Generation } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ignore, queries } from '../../api';
import { tokensOf } from '../../ai/amounts';
import { saidIn } from '../../ai/kept-answer';
import { Outcome } from '../../ai/outcome';
import { money } from '../../chart/units';
import { contentQuery, generationQuery, policyQuery } from '../../data/ai';
import { useMay } from '../../data/me';
import { useKeys, useProjectNames } from '../../data/names';
import { pathTo } from '../../paths';
import { Button } from '../../ui/button';
import { Copy } from '../../ui/copy';
import { ErrorNote } from '../../ui/error-note';
import { Fact } from '../../ui/fact';
import { Figure } from '../../ui/figure';
import { Loaded } from '../../ui/loaded';
import { Page, Section } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { durationOf } from '../../ui/time';

interface Params {
  readonly org: string;
  readonly generation: string;
}

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

const PROTOCOLS: Readonly<Record<Generation['protocol'], string>> = {
  chat_completions: 'Chat completion',
  embeddings: 'Embeddings',
  responses: 'Response',
  messages: 'Message',
};

const COUNTED_BY: Readonly<Record<Generation['usage_source'], string>> = {
  stream: 'The model, in its answer',
  router: 'The router, after the answer',
  counted: 'This service, as the router told nothing',
  none: 'Nothing was generated',
};

export function prepare({ org, generation }: Params): void {
  queries.query(generationQuery(org, generation)).catch(ignore);
}

export function Screen({ org, generation }: Params): ReactNode {
  const query = useQuery(generationQuery(org, generation));
  return (
    <Page
      title={query.data?.model ?? 'Generation'}
      above={[
        ['AI', pathTo('aiModels', { org })],
        ['Generations', pathTo('aiGenerations', { org })],
      ]}
      state={query.data !== undefined && <Outcome outcome={query.data.outcome} />}
    >
      <Loaded query={query}>{(data) => <Shown org={org} generation={data} />}</Loaded>
    </Page>
  );
}

function Shown({ org, generation }: { readonly org: string; readonly generation: Generation }): ReactNode {
  const { id, tokens, cost, created_at: from, finished_at: to, first_byte_ms: first } = generation;
  const ms = Date.parse(to) - Date.parse(from);
  const writingMs = ms - (first ?? 0);
  return (
    <>
      <dl className="mb-8 grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure label="Cost" value={money(Number(cost))}>
          {Number(cost) === 0 ? 'Nothing was charged' : `$${cost} exactly`}
        </Figure>
        <Figure label="Tokens in" value={tokensOf(tokens.input + tokens.cache_read + tokens.cache_write)}>
          {tokens.cache_read > 0 ? `${tokensOf(tokens.cache_read)} from the cache` : 'None from a cache'}
        </Figure>
        <Figure label="Tokens out" value={tokensOf(tokens.output)}>
          {tokens.output > 1 && writingMs > 0
            ? `${tokensOf(Math.round((1_000 * tokens.output) / writingMs))} a second`
            : 'Too few to tell a speed'}
        </Figure>
        <Figure label="Time" value={durationOf(ms)}>
          {first === null ? 'Nothing arrived' : `${durationOf(first)} to the first byte`}
        </Figure>
      </dl>
      <Section title="Details">
        <dl className="card grid gap-x-6 gap-y-4 p-4 sm:grid-cols-2 lg:grid-cols-3">
          <Fact name="ID">
            <code className="truncate font-mono text-xs">{id}</code>
            <Copy text={id} label="Copy the ID" />
          </Fact>
          <Fact name="Kind">
            {PROTOCOLS[generation.protocol]}
            {generation.streamed && ', streamed'}
          </Fact>
          <Fact name="Started">
            <time dateTime={from}>{TIME.format(new Date(from))}</time>
          </Fact>
          <Fact name="Called by">
            <CalledBy org={org} generation={generation} />
          </Fact>
          <Fact name="Paid by">{PAYERS[generation.billed_to]}</Fact>
          <Fact name="Ended because">{REASONS[generation.finish_reason ?? ''] ?? generation.finish_reason}</Fact>
          <Fact name="Tokens counted by">{COUNTED_BY[generation.usage_source]}</Fact>
          {tokens.cache_write > 0 && <Fact name="Tokens written to the cache">{tokensOf(tokens.cache_write)}</Fact>}
        </dl>
      </Section>
      <Texts org={org} generation={id} />
    </>
  );
}

const PAYERS: Readonly<Record<Generation['billed_to'], string>> = {
  credits: 'Credits and the invoice',
  organization: 'Your account at the provider',
};

/** Prompts are nobody's business by default: they are loaded only when a person asks for them. */
function Texts({ org, generation }: Params): ReactNode {
  const policy = useQuery(policyQuery(org));
  const mayRead = useMay(org, 'ai:invoke');
  const content = useQuery({ ...contentQuery(org, generation), enabled: false });
  const { data, error } = content;
  if (policy.data === undefined) return null;
  if (!mayRead || policy.data.retention_days === null)
    return <p className="text-muted text-sm">The text of the prompt and of the answer is not kept.</p>;
  return (
    <Section title="Text" hint={`Kept for ${policy.data.retention_days} days, encrypted.`}>
      {data === undefined ? (
        <Button busy={content.isFetching} onClick={() => void content.refetch()}>
          Show the request and the answer
        </Button>
      ) : (
        <div className="grid gap-3">
          <Text title="Request" {...data.request} />
          <Text title="Answer" text={saidIn(data.answer)} truncated={data.answer.truncated} />
        </div>
      )}
      {error !== null && <ErrorNote error={error} />}
    </Section>
  );
}

function Text({ title, text, truncated }: { title: string; text: string; truncated: boolean }): ReactNode {
  return (
    <div className="card min-w-0">
      <h3 className="border-line border-b px-4 py-2 font-medium">{title}</h3>
      <pre
        className="max-h-96 overflow-auto px-4 py-3 font-mono text-xs whitespace-pre-wrap"
        tabIndex={0}
        role="region"
        aria-label={title}
      >
        {text}
      </pre>
      {truncated && <p className="text-muted border-line border-t px-4 py-2 text-sm">The rest was not kept.</p>}
    </div>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  '': 'It had no end of its own',
  stop: 'The answer was complete',
  length: 'The most tokens were reached',
  tool_calls: 'The model asked for a tool',
  content_filter: 'The model withheld the rest',
};

function CalledBy({ org, generation }: { readonly org: string; readonly generation: Generation }): ReactNode {
  const { key_id: key, project_id: project } = generation;
  const keys = useKeys(org);
  const projects = useProjectNames(org);
  if (project !== undefined)
    return (
      <ScreenLink to="project" params={{ org, project }} className="link truncate">
        {projects.get(project) ?? project}
      </ScreenLink>
    );
  if (key === undefined) return 'This app';
  return (
    <ScreenLink to="keys" params={{ org }} className="link truncate">
      {keys.get(key)?.name ?? key}
    </ScreenLink>
  );
}
