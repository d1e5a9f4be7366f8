import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Icon } from './icons';

interface DialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly wide?: boolean;
}

/** The modal of the browser: it holds the focus, makes the rest inert, closes on Escape and gives the focus back. */
export function Dialog({ open, title, onClose, children, wide = false }: DialogProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const pressed = useRef<EventTarget>(null);
  useEffect(() => {
    const dialog = ref.current!;
    if (open && !dialog.open) dialog.showModal();
    if (!open && dialog.open) dialog.close();
  }, [open]);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onClose={onClose}
      onPointerDown={(event) => {
        pressed.current = event.target;
      }}
      onClick={(event) => {
        // Marking text in a field can end beside the dialog, and is no wish to close it.
        if (event.target === ref.current && pressed.current === ref.current) onClose();
      }}
      className={`card max-h-[84dvh] w-[calc(100%-2rem)] p-0 shadow-[var(--shadow)] ${wide ? 'max-w-xl' : 'max-w-md'}`}
    >
      {open && (
        <div className="relative p-5">
          <h2 id={id} className="mb-3 pr-8 text-lg font-semibold break-words">
            {title}
          </h2>
          {children}
          {/* It stands above and comes last, so that the focus begins with what the dialog is for. */}
          <button
            type="button"
            aria-label="Close the dialog"
            className="text-muted hover:bg-sunken hover:text-ink absolute top-4 right-4 grid size-8 place-items-center rounded-md"
            onClick={onClose}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      )}
    </dialog>
  );
}
