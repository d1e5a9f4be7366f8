import type { ReactNode } from 'react';

interface CheckProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export function Check({ label, isChecked, onChange }: CheckProps): ReactNode {
  return (
    <label className="flex min-h-8 items-center gap-2">
      <input
        type="checkbox"
        className="accent-accent size-4"
        checked={isChecked}
        onChange={(event) => {
          onChange(event.target.checked);
        }}
      />
      {label}
    </label>
  );
}
