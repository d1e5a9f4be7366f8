import type { ReactNode } from 'react';
import { Button } from './button';
import { Icon } from './icons';

interface AddButtonProps {
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** The button of a list that adds to it. */
export function AddButton({ onClick, children }: AddButtonProps): ReactNode {
  return (
    <Button look="primary" onClick={onClick}>
      <Icon name="plus" size={14} />
      {children}
    </Button>
  );
}
