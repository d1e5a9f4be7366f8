import type { AgentVersion } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api';
import { AgentFrame, type AgentParams } from '../../agents/agent-frame';
import { definitionIn, draftOf, inWords } from '../../agents/definition-draft';
import { DefinitionFields } from '../../agents/definition-fields';
import { refreshAgents, versionQuery } from '../../data/agents';
import { useMay } from '../../data/me';
import { pathTo } from '../../paths';
import { Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';

export function Screen({ org, agent: id }: AgentParams): ReactNode {
  return (
    <AgentFrame org={org} agent={id} open="agentDefinition">
      {(agent) => <Live org={org} agent={id} number={agent.live_version} />}
    </AgentFrame>
  );
}

function Live({ org, agent, number }: AgentParams & { readonly number: number }): ReactNode {
  const version = useQuery(versionQuery(org, agent, number));
  return (
    <Loaded query={version}>
      {(found) => <Definition key={found.number} org={org} agent={agent} version={found} />}
    </Loaded>
  );
}

/** A change makes a version. The form begins with the live one. */
function Definition({ org, agent, version }: AgentParams & { readonly version: AgentVersion }): ReactNode {
  const [, go] = useLocation();
  const mayWrite = useMay(org, 'agents:write');
  const [draft, setDraft] = useState(() => draftOf(version));
  return (
    <div className="card p-5">
      {!mayWrite && <p className="text-muted mb-4">Your role can read this definition, not change it.</p>}
      <Form
        label="Definition"
        submit="Save a new version"
        onSubmit={async (values) => {
          await api.agents
            .update(
              agent,
              { ...definitionIn(values, draft), promote: values['promote'] === 'on' },
              { organization: org },
            )
            .catch((error: unknown) => {
              throw inWords(error, Object.keys(values));
            });
          await refreshAgents(org);
          go(pathTo('agentVersions', { org, agent }));
        }}
      >
        <fieldset disabled={!mayWrite} className="contents">
          <DefinitionFields org={org} definition={version} draft={draft} onChange={setDraft} />
          <label className="flex items-center gap-2">
            <input type="checkbox" name="promote" defaultChecked />
            Make it live at once
          </label>
        </fieldset>
      </Form>
    </div>
  );
}
