import type { Language, NewSandboxSession, SandboxSession } from '@service/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { ignore, queries } from '../../api';
import { packageSetsQuery } from '../../data/executions';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { createSession, isLive, sessionsQuery } from '../../data/sandbox-sessions';
import { pathTo } from '../../paths';
import { EndSession } from '../../sandbox/end-session';
import { LANGUAGE_NAMES } from '../../sandbox/language-names';
import { LANGUAGES } from '../../sandbox/link';
import { SandboxFrame } from '../../sandbox/sandbox-frame';
import { SessionState } from '../../sandbox/session-state';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Choice, Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';

interface Params {
  readonly org: string;
}

const MEMORIES = [128, 256, 512, 1_024, 2_048];
const IDLE_MINUTES = [5, 15, 30, 60];

export function prepare({ org }: Params): void {
  queries.infiniteQuery(sessionsQuery(org)).catch(ignore);
  queries.query(packageSetsQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const sessions = useInfiniteQuery(sessionsQuery(org));
  const mayRun = useMay(org, 'sandbox:execute');
  const [isAdding, setIsAdding] = useState(false);
  const add = mayRun && (
    <AddButton
      onClick={() => {
        setIsAdding(true);
      }}
    >
      New session
    </AddButton>
  );
  return (
    <SandboxFrame org={org} open="sandboxSessions" actions={add}>
      <Loaded query={sessions}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="sandbox" title="No sessions yet" action={add}>
              A session keeps its variables and files from one run to the next, as a notebook does. Only the time of
              runs costs.
            </Empty>
          ) : (
            <Sessions org={org} rows={rowsOf(data)} more={<More query={sessions} />} />
          )
        }
      </Loaded>
      <NewSessionDialog
        org={org}
        open={isAdding}
        onClose={() => {
          setIsAdding(false);
        }}
      />
    </SandboxFrame>
  );
}

interface SessionsProps {
  readonly org: string;
  readonly rows: readonly SandboxSession[];
  readonly more: ReactNode;
}

function Sessions({ org, rows, more }: SessionsProps): ReactNode {
  const [ending, setEnding] = useState<SandboxSession>();
  return (
    <>
      <Table
        label="Sessions"
        rows={rows}
        keyOf={({ id }) => id}
        more={more}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name }) => (
              <ScreenLink
                to="sandboxSession"
                params={{ org, session: id }}
                className="block max-w-32 truncate font-medium hover:underline sm:max-w-80"
              >
                {name ?? id}
              </ScreenLink>
            ),
          },
          { title: 'State', cell: ({ status }) => <SessionState status={status} /> },
          { title: 'Language', wideOnly: true, cell: ({ language }) => LANGUAGE_NAMES[language] },
          { title: 'Created', wideOnly: true, cell: ({ created_at: at }) => <When at={at} /> },
          {
            title: 'Actions',
            actions: true,
            cell: (session) =>
              isLive(session) && (
                <Button
                  look="quiet"
                  onClick={() => {
                    setEnding(session);
                  }}
                >
                  End<span className="sr-only"> {session.name ?? session.id}</span>
                </Button>
              ),
          },
        ]}
      />
      <EndSession
        org={org}
        session={ending}
        onClose={() => {
          setEnding(undefined);
        }}
      />
    </>
  );
}

interface NewSessionDialogProps {
  readonly org: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

function NewSessionDialog({ org, open, onClose }: NewSessionDialogProps): ReactNode {
  const [, go] = useLocation();
  const [language, setLanguage] = useState<Language>('python');
  const sets = useQuery(packageSetsQuery(org)).data?.filter(({ languages }) => languages.includes(language)) ?? [];
  return (
    <Dialog open={open} title="New session" onClose={onClose}>
      <Form
        label="New session"
        submit="Create the session"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ name = '', package_set: set = '', memory_mib: memory, idle_timeout_seconds: idle }) => {
          const { id } = await createSession(org, {
            language,
            ...(name.trim() === '' ? {} : { name: name.trim() }),
            ...(set === '' ? {} : { package_set: set as NonNullable<NewSandboxSession['package_set']> }),
            ...(memory === '' ? {} : { memory_mib: Number(memory) }),
            idle_timeout_seconds: Number(idle),
          });
          onClose();
          go(pathTo('sandboxSession', { org, session: id }));
        }}
      >
        <Choice
          label="Language"
          name="language"
          value={language}
          onChange={(event) => {
            setLanguage(event.target.value as Language);
          }}
        >
          {LANGUAGES.map((each) => (
            <option key={each} value={each}>
              {LANGUAGE_NAMES[each]}
            </option>
          ))}
        </Choice>
        <Field label="Name" name="name" maxLength={100} placeholder="Optional" />
        <Choice key={language} label="Packages" name="package_set" defaultValue="">
          <option value="">Only the standard library</option>
          {sets.map(({ name, packages }) => (
            <option key={name} value={name}>
              {name}: {packages.map((each) => each.name).join(', ')}
            </option>
          ))}
        </Choice>
        <Choice label="Memory" name="memory_mib" defaultValue="">
          <option value="">Default</option>
          {MEMORIES.map((mib) => (
            <option key={mib} value={mib}>
              {mib} MiB
            </option>
          ))}
        </Choice>
        <Choice
          label="Ends when it was not used for"
          name="idle_timeout_seconds"
          defaultValue="900"
          hint="While it is not used, it is frozen and costs nothing."
        >
          {IDLE_MINUTES.map((minutes) => (
            <option key={minutes} value={minutes * 60}>
              {minutes} minutes
            </option>
          ))}
        </Choice>
      </Form>
    </Dialog>
  );
}
