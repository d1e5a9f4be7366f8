import { useInfiniteQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useMe } from '../data/me';
import { rowsOf } from '../data/paged';
import { projectsQuery } from '../data/projects';
import { pathTo } from '../paths';
import { Dialog } from '../ui/dialog';
import { Icon, type IconName } from '../ui/icons';
import { isMatch } from './match';
import { OPERATOR_PLACE, OWN_PLACES, PLACES } from './places';

interface PaletteProps {
  readonly org: string;
  readonly onClose: () => void;
  readonly actions: readonly Entry[];
}

export interface Entry {
  readonly name: string;
  readonly kind: string;
  readonly icon: IconName;
  readonly run: () => void;
}

const SHOWN = 8;

/** A combobox by the pattern of ARIA 1.2: the focus stays in the field, and arrows move through the list. */
export function Palette({ org, onClose, actions }: PaletteProps): ReactNode {
  const [, go] = useLocation();
  const { data } = useInfiniteQuery(projectsQuery(org));
  const operator = useMe()?.user.operator === true;
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();

  const to = (name: string, kind: string, icon: IconName, href: string): Entry => ({
    name,
    kind,
    icon,
    run: () => {
      go(href);
    },
  });
  const projects = rowsOf(data).map((project) =>
    to(project.name, 'Project', 'projects', pathTo('project', { org, project: project.id })),
  );
  const places = [...PLACES, ...OWN_PLACES, ...(operator ? [OPERATOR_PLACE] : [])].map(({ name, icon, path }) =>
    to(name, 'Go to', icon, path(org)),
  );
  const found = [...projects, ...places, ...actions].filter(({ name }) => isMatch(name, text)).slice(0, SHOWN);

  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: found.length - 1 }[event.key];
    if (step !== undefined) setAt((at + step) % Math.max(found.length, 1));
    else if (event.key === 'Enter') choose(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog open title="Search or jump to" onClose={onClose} wide>
      <input
        autoFocus
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        aria-label="Projects, places and actions"
        placeholder="Projects, places and actions"
        className="input"
        value={text}
        onKeyDown={onKey}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
      />
      {found.length > 0 && (
        <ul id={id} role="listbox" aria-label="Results" className="mt-2">
          {found.map((entry, index) => (
            <li
              key={`${entry.kind} ${entry.name} ${index}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              onClick={() => {
                choose(entry);
              }}
              onPointerMove={() => {
                setAt(index);
              }}
              className={`flex items-center gap-3 rounded-md px-3 py-2 ${index === at ? 'bg-accent-soft text-accent-ink' : ''}`}
            >
              <Icon name={entry.icon} />
              <span className="flex-1 truncate">{entry.name}</span>
              <span className={`text-xs ${index === at ? '' : 'text-muted'}`}>{entry.kind}</span>
            </li>
          ))}
        </ul>
      )}
      <p role="status" className="text-muted px-3 text-sm empty:hidden">
        {found.length === 0 ? 'Nothing found.' : ''}
      </p>
    </Dialog>
  );
}
