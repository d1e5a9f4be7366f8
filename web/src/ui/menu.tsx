import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';

interface MenuItem {
  readonly name: string;
  readonly onChoose: () => void;
  readonly icon?: ReactNode;
  readonly hint?: ReactNode;
  /** For a choice among several: whether it is this one. */
  readonly chosen?: boolean;
  readonly danger?: boolean;
}

interface MenuProps {
  /** What it is for; for who hears the page, it follows what the button shows. */
  readonly label: string;
  readonly button: ReactNode;
  readonly buttonClass?: string;
  readonly items: readonly MenuItem[];
  /** For keys that open it from elsewhere. */
  readonly buttonId?: string;
}

/** A menu in the top layer of the browser. Arrows move in it, and Escape or a click elsewhere closes it. */
export function Menu({ label, button, buttonClass = '', items, buttonId }: MenuProps): ReactNode {
  const id = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);

  const place = (): void => {
    const from = trigger.current!.getBoundingClientRect();
    const { style, offsetHeight: height, offsetWidth: width } = list.current!;
    const below = from.bottom + 4 + height <= innerHeight;
    style.top = `${Math.max(8, below ? from.bottom + 4 : from.top - 4 - height)}px`;
    style.left = `${Math.max(8, Math.min(from.left, innerWidth - width - 8))}px`;
  };
  const focusOn = (to: (all: readonly HTMLElement[], at: number) => number): void => {
    const all = [...list.current!.querySelectorAll<HTMLElement>('[role^=menuitem]')];
    all.at(to(all, all.indexOf(document.activeElement as HTMLElement)) % all.length)?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    const move = MOVES[event.key];
    if (move === undefined) return;
    event.preventDefault();
    focusOn(move);
  };
  return (
    <>
      <button
        ref={trigger}
        id={buttonId}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open}
        popoverTarget={id}
        className={`relative ${buttonClass}`}
      >
        {button}
        <span className="sr-only">{label}</span>
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        onToggle={(event) => {
          const shown = event.newState === 'open';
          setOpen(shown);
          if (!shown) return;
          place();
          focusOn((all) =>
            Math.max(
              0,
              all.findIndex((item) => item.getAttribute('aria-checked') === 'true'),
            ),
          );
        }}
        onKeyDown={onKey}
        className="card bg-raised fixed m-0 max-h-96 max-w-80 min-w-48 overflow-y-auto p-1 shadow-[var(--shadow)]"
      >
        {items.map(({ name, onChoose, icon, hint, chosen, danger = false }) => (
          <button
            key={name}
            type="button"
            role={chosen === undefined ? 'menuitem' : 'menuitemradio'}
            aria-checked={chosen}
            tabIndex={-1}
            onClick={() => {
              list.current!.hidePopover();
              onChoose();
            }}
            className={`hover:bg-sunken focus:bg-sunken flex w-full items-center gap-2 rounded-sm px-2.5 py-1.5 text-left ${danger ? 'text-bad' : ''}`}
          >
            {icon}
            <span className="flex-1 truncate">{name}</span>
            {hint !== undefined && <span className="text-muted text-xs">{hint}</span>}
            {chosen === true && <span aria-hidden="true">✓</span>}
          </button>
        ))}
      </div>
    </>
  );
}

const MOVES: Readonly<Record<string, (all: readonly HTMLElement[], at: number) => number>> = {
  ArrowDown: (_, at) => at + 1,
  ArrowUp: (all, at) => at + all.length - 1,
  Home: () => 0,
  End: (all) => all.length - 1,
};
