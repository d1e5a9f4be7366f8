import type { Generation } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ignore, queries } from '../../api';
import { tokensOf } from '../../ai/amounts';
import { Outcome } from '../../ai/outcome';
import { money } from '../../chart/units';
import { generationQuery } from '../../data/ai';
import { useKeys, useProjectNames } from '../../data/names';
import { pathTo } from '../../paths';
import { Copy } from '../../ui/copy';
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
      <Section title="Details" hint="The text of the prompt and of the answer is not kept.">
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
          <Fact name="Ended because">{REASONS[generation.finish_reason ?? ''] ?? generation.finish_reason}</Fact>
          <Fact name="Tokens counted by">{COUNTED_BY[generation.usage_source]}</Fact>
          {tokens.cache_write > 0 && <Fact name="Tokens written to the cache">{tokensOf(tokens.cache_write)}</Fact>}
        </dl>
      </Section>
    </>
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
