import type { Project } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../../api';
import { useMay } from '../../../data/me';
import { projectQuery } from '../../../data/projects';
import { useBranchNames } from '../../../data/repositories';
import { pathTo } from '../../../paths';
import { Button } from '../../../ui/button';
import { Confirm } from '../../../ui/confirm';
import { Copy } from '../../../ui/copy';
import { Field, Form } from '../../../ui/form';
import { Loaded } from '../../../ui/loaded';
import { Section } from '../../../ui/page';
import type { ProjectParams } from '../project-frame';
import { SettingsFrame } from './settings-frame';

export function prepare({ project }: ProjectParams): void {
  queries.query(projectQuery(project)).catch(ignore);
}

export function Screen({ org, project: id }: ProjectParams): ReactNode {
  const project = useQuery(projectQuery(id));
  return (
    <SettingsFrame org={org} project={id} open="projectSettings">
      <Loaded query={project}>{(found) => <General org={org} project={found} />}</Loaded>
    </SettingsFrame>
  );
}

/** The address may name the project by its slug, which can change here. */
function General({ org, project }: { readonly org: string; readonly project: Project }): ReactNode {
  const [, go] = useLocation();
  const mayChange = useMay(org, 'projects:write');
  const mayDelete = useMay(org, 'projects:delete');
  const [deleting, setDeleting] = useState(false);
  const branches = useBranchNames(org, project.repo_url);
  const branchList = useId();
  const take = async (news: Project): Promise<void> => {
    queries.setQueryData(projectQuery(news.id).queryKey, news);
    await queries.invalidateQueries({ queryKey: ['project'] });
    void queries.invalidateQueries({ queryKey: ['projects'] });
    go(pathTo('projectSettings', { org, project: news.id }), { replace: true });
  };
  return (
    <>
      <Section title="Name">
        <div className="card max-w-lg p-4">
          <Form
            label="Name"
            submit="Save the name"
            onSubmit={async ({ name = '', slug = '' }) =>
              take(
                await api.projects.update(project.id, {
                  ...(name !== project.name && { name }),
                  ...(slug !== project.slug && { slug }),
                }),
              )
            }
          >
            <Field
              label="Name"
              name="name"
              defaultValue={project.name}
              required
              maxLength={100}
              disabled={!mayChange}
            />
            <Field
              label="Slug"
              name="slug"
              defaultValue={project.slug}
              required
              disabled={!mayChange}
              hint="Names the project in commands and calls of the API. Another project can have the old one at once."
            />
            <p className="text-muted flex items-center gap-1 text-sm">
              <code className="truncate font-mono text-xs">{project.id}</code>
              <Copy text={project.id} label="Copy the id of the project" />
            </p>
          </Form>
        </div>
      </Section>
      <Section title="Repository" hint="Each push to it is deployed. Pushes to the production branch go live.">
        <div className="card max-w-lg p-4">
          <Form
            label="Repository"
            submit="Save the repository"
            onSubmit={async ({ repo_url: url = '', production_branch: branch = '' }) =>
              take(
                await api.projects.update(project.id, {
                  repo_url: url === '' ? null : url,
                  ...(branch !== project.production_branch && { production_branch: branch }),
                }),
              )
            }
          >
            <Field
              label="Address of the repository"
              name="repo_url"
              type="url"
              defaultValue={project.repo_url}
              placeholder="https://github.com/acme/shop"
              disabled={!mayChange}
              hint="Empty unlinks it: the project is then deployed only from uploaded files."
            />
            <Field
              label="Production branch"
              name="production_branch"
              defaultValue={project.production_branch}
              required
              disabled={!mayChange}
              list={branchList}
            />
            <datalist id={branchList}>
              {branches.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </Form>
        </div>
      </Section>
      {mayDelete && (
        <Section title="Delete" hint="Its sites, deploys, variables and logs go with it. The repository stays.">
          <Button
            look="danger"
            onClick={() => {
              setDeleting(true);
            }}
          >
            Delete the project
          </Button>
          <Confirm
            open={deleting}
            title={`Delete ${project.name}?`}
            action="Delete it for ever"
            danger
            typed={project.name}
            onClose={() => {
              setDeleting(false);
            }}
            onConfirm={async () => {
              await api.projects.delete(project.id);
              go(pathTo('projects', { org }), { replace: true });
              queries.removeQueries({ queryKey: ['project', project.id] });
              await queries.invalidateQueries({ queryKey: ['projects'] });
            }}
          >
            Its sites go offline at once. This cannot be taken back.
          </Confirm>
        </Section>
      )}
    </>
  );
}
