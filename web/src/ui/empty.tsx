import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** What stands where nothing is yet: what would be here, and the way to fill it. */
export function Empty({ icon, title, children, action }: EmptyProps): ReactNode {
  return (
    <div className="card grid grid-cols-[minmax(0,1fr)] justify-items-center gap-3 px-6 py-14 text-center">
      <span className="bg-sunken text-muted grid size-12 place-items-center rounded-lg">
        <Icon name={icon} size={22} />
      </span>
      <h2 className="text-lg font-semibold">{title}</h2>
      {children !== undefined && <div className="text-muted max-w-md">{children}</div>}
      {action !== undefined && <div className="mt-1 flex max-w-full flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
