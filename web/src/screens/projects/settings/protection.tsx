import type { Protection } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../../api';
import { useMay } from '../../../data/me';
import { protectionQuery } from '../../../data/project-settings';
import { Choice, Field, Form } from '../../../ui/form';
import { Loaded } from '../../../ui/loaded';
import { Section } from '../../../ui/page';
import type { ProjectParams } from '../project-frame';
import { SignedLink } from '../signed-link';
import { SettingsFrame } from './settings-frame';

type Mode = Protection['production'];

const MODES: readonly (readonly [Mode, string])[] = [
  ['none', 'Everybody'],
  ['members', 'Members, and people with a signed link'],
  ['password', 'People with the password or a signed link'],
];

export function prepare({ project }: ProjectParams): void {
  queries.query(protectionQuery(project)).catch(ignore);
}

export function Screen({ org, project }: ProjectParams): ReactNode {
  const protection = useQuery(protectionQuery(project));
  return (
    <SettingsFrame org={org} project={project} open="projectProtection">
      <Loaded query={protection}>
        {(found) => (
          <>
            <Section title="Deploy protection" hint="Who may open the sites of this project.">
              <ProtectionForm key={found.updated_at} org={org} project={project} protection={found} />
            </Section>
            {found.production !== 'none' && (
              <Section
                title="Signed link"
                hint="Opens the production site in a browser. Links to single deploys are on their pages."
              >
                <SignedLink create={() => api.projects.accessLink(project)} />
              </Section>
            )}
          </>
        )}
      </Loaded>
    </SettingsFrame>
  );
}

interface ProtectionFormProps extends ProjectParams {
  readonly protection: Protection;
}

function ProtectionForm({ org, project, protection }: ProtectionFormProps): ReactNode {
  const mayChange = useMay(org, 'projects:write');
  const [modes, setModes] = useState({ production: protection.production, previews: protection.previews });
  const asksPassword = modes.production === 'password' || modes.previews === 'password';
  const choice = (name: keyof typeof modes, label: string): ReactNode => (
    <Choice
      label={label}
      name={name}
      value={modes[name]}
      disabled={!mayChange}
      onChange={(event) => {
        setModes({ ...modes, [name]: event.target.value as Mode });
      }}
    >
      {MODES.map(([mode, title]) => (
        <option key={mode} value={mode}>
          {title}
        </option>
      ))}
    </Choice>
  );
  return (
    <div className="card max-w-lg p-4">
      <Form
        label="Deploy protection"
        submit="Save"
        onSubmit={async ({ password = '' }) => {
          const news = await api.projects.protect(project, { ...modes, ...(password !== '' && { password }) });
          queries.setQueryData(protectionQuery(project).queryKey, news);
        }}
      >
        {choice('production', 'The production site')}
        {choice('previews', 'Previews and single deploys')}
        {asksPassword && (
          <Field
            label={protection.has_password ? 'New password' : 'Password'}
            name="password"
            type="password"
            autoComplete="new-password"
            required={!protection.has_password}
            disabled={!mayChange}
            hint={protection.has_password ? 'Empty keeps the one that is set.' : 'For all who may look at it.'}
          />
        )}
        <p className="text-muted text-sm">Saving ends all signed links and visits so far.</p>
      </Form>
    </div>
  );
}
