import type { NewRepository, Project } from '@service/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { api, ignore, queries } from '../../api';
import { useOrganization } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { deployQuery, deployTypeIn, projectsQuery } from '../../data/projects';
import { repositoriesQuery, templatesQuery, useBranchNames } from '../../data/repositories';
import { GithubAccounts } from '../../github/github-accounts';
import { pathTo } from '../../paths';
import { Choice, Field, Form } from '../../ui/form';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { Page } from '../../ui/page';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.query(templatesQuery(org)).catch(ignore);
  queries.infiniteQuery(repositoriesQuery(org)).catch(ignore);
}

/** Where the files come from: a template, a repository of the organization, one at GitHub or elsewhere, or nothing yet. */
type Source =
  | { readonly kind: 'template'; readonly template: NonNullable<NewRepository['template']> }
  | { readonly kind: 'repository'; readonly url: string; readonly branch: string }
  | { readonly kind: 'github' }
  | { readonly kind: 'address' }
  | { readonly kind: 'empty' };

export function Screen({ org }: Params): ReactNode {
  const [, go] = useLocation();
  const templates = useQuery(templatesQuery(org));
  const repositories = useInfiniteQuery(repositoriesQuery(org));
  const organization = useOrganization(org);
  const [chosenSource, setSource] = useState<Source>();
  const [typedName, setName] = useState<string>();
  // The page of a repository leads here with it.
  const wanted = new URLSearchParams(useSearch()).get('repository');
  const preset = rowsOf(repositories.data).find(({ id }) => id === wanted);
  const source: Source | undefined =
    chosenSource ??
    (preset === undefined ? undefined : { kind: 'repository', url: preset.repo_url, branch: preset.default_branch });
  const name = typedName ?? preset?.name ?? '';
  const branches = useBranchNames(org, source?.kind === 'repository' ? source.url : undefined);
  /** A repository that is there already, where only the project could not be created. */
  const made = useRef<{ readonly name: string; readonly url: string }>(undefined);
  /** The same of the project, where only its first deploy was refused. */
  const created = useRef<{ readonly name: string; readonly url: string | undefined; readonly project: Project }>(
    undefined,
  );

  const urlFor = async (chosen: Source, address: string): Promise<string | undefined> => {
    if (chosen.kind === 'repository') return chosen.url;
    if (chosen.kind === 'address' || chosen.kind === 'github') return address;
    if (chosen.kind === 'empty') return undefined;
    if (made.current?.name !== name) made.current = { name, url: await copyTemplate(org, chosen.template, name) };
    return made.current.url;
  };
  const needsOf = (template: string): readonly string[] =>
    templates.data?.find(({ id }) => id === template)?.needs ?? [];
  const create = async ({
    repo_url: address = '',
    production_branch: branch,
  }: Readonly<Record<string, string>>): Promise<void> => {
    if (source === undefined) throw new Error('Choose what the project begins with.');
    const url = await urlFor(source, address);
    if (created.current?.name !== name || created.current.url !== url) {
      const project = await api.projects.create(
        {
          name,
          ...(url === undefined ? {} : { repo_url: url }),
          ...(branch === undefined ? {} : { production_branch: branch }),
        },
        { organization: org },
      );
      created.current = { name, url, project };
    }
    const { project } = created.current;
    await attachNeeds(org, project, source.kind === 'template' ? needsOf(source.template) : []);
    await queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey });
    // A template is there at once; the first push of anything else deploys it.
    if (source.kind !== 'template') {
      go(pathTo('project', { org, project: project.id }));
      return;
    }
    const type = organization === undefined ? 'preview' : deployTypeIn(organization);
    const deploy = await api.projects.deploy(project.id, { branch: project.production_branch, type });
    queries.setQueryData(deployQuery(deploy.id).queryKey, deploy);
    go(pathTo('deploy', { org, project: project.id, deploy: deploy.id }));
  };
  return (
    <Page title="New project" above={[['Projects', pathTo('projects', { org })]]}>
      <div className="card max-w-2xl p-5">
        <Form label="New project" submit="Create the project" onSubmit={create}>
          <fieldset className="grid gap-2">
            <legend className="mb-2 font-medium">Begin with</legend>
            <Loaded query={templates} lines={2}>
              {(found) => (
                <div className="grid gap-2 sm:grid-cols-2">
                  {found.map(({ id, name: title, description }) => (
                    <Option
                      key={id}
                      title={title}
                      text={description}
                      checked={source?.kind === 'template' && source.template === id}
                      onChoose={() => {
                        setSource({ kind: 'template', template: id });
                        if (name === '') setName(`my-${id}-app`);
                      }}
                    />
                  ))}
                  {rowsOf(repositories.data).map(({ id, name: title, repo_url: url, default_branch: branch }) => (
                    <Option
                      key={id}
                      title={title}
                      text="A repository of this organization"
                      checked={source?.kind === 'repository' && source.url === url}
                      onChoose={() => {
                        setSource({ kind: 'repository', url, branch });
                        if (name === '') setName(title);
                      }}
                    />
                  ))}
                  <Option
                    title="GitHub"
                    text="A repository of an account that you connect"
                    checked={source?.kind === 'github'}
                    onChoose={() => {
                      setSource({ kind: 'github' });
                    }}
                  />
                  <Option
                    title="A repository elsewhere"
                    text="By its address, which must be public"
                    checked={source?.kind === 'address'}
                    onChoose={() => {
                      setSource({ kind: 'address' });
                    }}
                  />
                  <Option
                    title="Nothing yet"
                    text="Deploy a directory of your machine later"
                    checked={source?.kind === 'empty'}
                    onChoose={() => {
                      setSource({ kind: 'empty' });
                    }}
                  />
                </div>
              )}
            </Loaded>
          </fieldset>
          {source?.kind === 'github' && <GithubAccounts org={org} />}
          {(source?.kind === 'address' || source?.kind === 'github') && (
            <Field
              label="Address of the repository"
              name="repo_url"
              type="url"
              required
              placeholder="https://github.com/acme/shop"
            />
          )}
          {source?.kind === 'repository' && branches.length > 1 && (
            <Choice
              key={source.url}
              label="Production branch"
              name="production_branch"
              defaultValue={source.branch}
              hint="Pushes to it go live, and pushes to others become previews."
            >
              {branches.map((branch) => (
                <option key={branch}>{branch}</option>
              ))}
            </Choice>
          )}
          <Field
            label="Name"
            name="name"
            required
            maxLength={100}
            value={name}
            onChange={(event) => {
              setName(event.target.value);
            }}
          />
        </Form>
      </div>
    </Page>
  );
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'app';

/** A template becomes a repository by the name of the project. */
async function copyTemplate(
  org: string,
  template: NonNullable<NewRepository['template']>,
  name: string,
): Promise<string> {
  const repository = await api.repositories.create({ name: slugOf(name), template }, { organization: org });
  void queries.invalidateQueries({ queryKey: repositoriesQuery(org).queryKey });
  return repository.repo_url;
}

/**
 * Attaches what a template needs before the first deploy, which then has it. What an earlier attempt attached stays:
 * each has the name of its project.
 */
async function attachNeeds(organization: string, project: Project, needs: readonly string[]): Promise<void> {
  const options = { organization };
  const owner = { project_id: project.id };
  const name = slugOf(project.name);
  if (needs.includes('database')) {
    const [found] = (await api.databases.list(owner, options)).data;
    const database = found ?? (await api.databases.create({ name, ...owner }, options));
    await api.databases.attachments.set(database.id, project.id, {}, options);
    await api.databases.waitUntilReady(database.id, options);
  }
  if (needs.includes('bucket')) {
    const [found] = (await api.storage.buckets.list(owner, options)).data;
    const bucket = found ?? (await api.storage.buckets.create({ name, ...owner }, options));
    await api.storage.attachments.set(bucket.id, project.id, {}, options);
  }
}

interface OptionProps {
  readonly title: string;
  readonly text: string;
  readonly checked: boolean;
  readonly onChoose: () => void;
}

function Option({ title, text, checked, onChoose }: OptionProps): ReactNode {
  return (
    <label
      className={`has-focus-visible:outline-accent-ink flex cursor-pointer gap-3 rounded-md border p-3 has-focus-visible:outline-2 ${checked ? 'border-accent bg-accent-soft' : 'border-line hover:border-line-strong'}`}
    >
      <input
        type="radio"
        name="source"
        checked={checked}
        onChange={onChoose}
        className="mt-0.5 size-4 shrink-0 accent-[var(--accent)]"
      />
      <span className="min-w-0">
        <span className="flex items-center gap-2 font-medium">
          <span className="truncate">{title}</span>
          {checked && <Icon name="check" size={14} />}
        </span>
        <span className="text-muted block text-sm">{text}</span>
      </span>
    </label>
  );
}
