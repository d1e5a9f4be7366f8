import type { Agent } from '@service/client';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, queries } from '../../api';
import { AgentFrame, type AgentParams } from '../../agents/agent-frame';
import { agentQuery, agentsQuery, refreshAgents } from '../../data/agents';
import { useMay } from '../../data/me';
import { pathTo } from '../../paths';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { ErrorNote } from '../../ui/error-note';
import { Field, Form } from '../../ui/form';
import { Section } from '../../ui/page';

export function Screen({ org, agent: id }: AgentParams): ReactNode {
  const mayWrite = useMay(org, 'agents:write');
  return (
    <AgentFrame org={org} agent={id} open="agentSettings">
      {(agent) =>
        mayWrite ? (
          <>
            <Names org={org} agent={agent} />
            <Pause org={org} agent={agent} />
            <Delete org={org} agent={agent} />
          </>
        ) : (
          <p className="text-muted">Your role can run this agent, not change it.</p>
        )
      }
    </AgentFrame>
  );
}

interface PartProps {
  readonly org: string;
  readonly agent: Agent;
}

function Names({ org, agent }: PartProps): ReactNode {
  return (
    <Section title="Name">
      <div className="card p-5">
        <Form
          label="Name"
          submit="Save the name"
          onSubmit={async ({ name = '', description = '' }) => {
            await api.agents.update(
              agent.id,
              { name, description: description === '' ? null : description },
              { organization: org },
            );
            await refreshAgents(org);
          }}
        >
          <Field label="Name" name="name" required maxLength={100} defaultValue={agent.name} />
          <Field label="Description" name="description" maxLength={500} defaultValue={agent.description ?? ''} />
        </Form>
      </div>
    </Section>
  );
}

function Pause({ org, agent }: PartProps): ReactNode {
  const isActive = agent.state === 'active';
  const turn = useMutation({
    mutationFn: () => api.agents.update(agent.id, { state: isActive ? 'paused' : 'active' }, { organization: org }),
    onSuccess: (changed) => {
      queries.setQueryData(agentQuery(org, agent.id).queryKey, changed);
      void queries.invalidateQueries({ queryKey: agentsQuery(org).queryKey });
    },
  });
  return (
    <Section
      title={isActive ? 'Pause' : 'Resume'}
      hint={
        isActive
          ? 'No run starts while it is paused. Runs that are active go on.'
          : agent.paused_because === 'plan'
            ? 'The plan has room for fewer agents. Upgrade, or delete another agent first.'
            : 'Runs can start again.'
      }
    >
      {turn.error !== null && (
        <div className="mb-3">
          <ErrorNote error={turn.error} />
        </div>
      )}
      <Button
        busy={turn.isPending}
        onClick={() => {
          turn.mutate();
        }}
      >
        {isActive ? 'Pause the agent' : 'Resume the agent'}
      </Button>
    </Section>
  );
}

function Delete({ org, agent }: PartProps): ReactNode {
  const [, go] = useLocation();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Section title="Delete" hint="Its versions, secrets and memory go with it, and its active runs are cancelled.">
      <Button
        look="danger"
        onClick={() => {
          setIsAsking(true);
        }}
      >
        Delete the agent
      </Button>
      <Confirm
        open={isAsking}
        title={`Delete ${agent.name}?`}
        action="Delete the agent"
        danger
        typed={agent.slug}
        onClose={() => {
          setIsAsking(false);
        }}
        onConfirm={async () => {
          await api.agents.delete(agent.id, { organization: org });
          go(pathTo('agents', { org }));
          queries.removeQueries({ queryKey: ['agents', org, agent.id] });
          await queries.invalidateQueries({ queryKey: agentsQuery(org).queryKey });
        }}
      >
        This cannot be undone.
      </Confirm>
    </Section>
  );
}
