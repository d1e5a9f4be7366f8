import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { definitionIn, draftOf, inWords } from '../../agents/definition-draft';
import { DefinitionFields } from '../../agents/definition-fields';
import { agentQuery, agentsQuery, toolKindsQuery } from '../../data/agents';
import { modelsQuery } from '../../data/ai';
import { pathTo } from '../../paths';
import { ButtonLink } from '../../ui/button';
import { Field, Form } from '../../ui/form';
import { Page } from '../../ui/page';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.query(toolKindsQuery(org)).catch(ignore);
  queries.query(modelsQuery).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const [, go] = useLocation();
  const [draft, setDraft] = useState(() => draftOf());
  return (
    <Page title="New agent" above={[['Agents', pathTo('agents', { org })]]}>
      <div className="card p-5">
        <Form
          label="New agent"
          submit="Create the agent"
          aside={<ButtonLink href={pathTo('agents', { org })}>Cancel</ButtonLink>}
          onSubmit={async (values) => {
            const { name = '', description = '' } = values;
            const agent = await api.agents
              .create(
                { name, ...(description === '' ? {} : { description }), ...definitionIn(values, draft) },
                { organization: org },
              )
              .catch((error: unknown) => {
                throw inWords(error, Object.keys(values));
              });
            queries.setQueryData(agentQuery(org, agent.id).queryKey, agent);
            void queries.invalidateQueries({ queryKey: agentsQuery(org).queryKey });
            go(pathTo('agent', { org, agent: agent.id }));
          }}
        >
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Name" name="name" required autoFocus maxLength={100} placeholder="Repo doctor" />
            <Field label="Description" name="description" maxLength={500} placeholder="Repairs deploys that fail" />
          </div>
          <DefinitionFields org={org} draft={draft} onChange={setDraft} />
        </Form>
      </div>
    </Page>
  );
}
