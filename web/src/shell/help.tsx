import { Fragment, type ReactNode } from 'react';
import { Dialog } from '../ui/dialog';
import { OWN_PLACES, PLACES } from './places';

const KEYS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl', 'K'], 'Search or jump to'],
  [['/'], 'Find on this screen, or everywhere'],
  [['o'], 'Switch the organization'],
  ...[...PLACES, ...OWN_PLACES].map(({ key, name }) => [['g', key], `Go to ${name}`] as const),
  [['?'], 'This list'],
];

/** All keys. They do nothing while something is typed. */
export function Help({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog open title="Keyboard" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {KEYS.map(([keys, what]) => (
          <Fragment key={what}>
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="kbd">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  );
}
