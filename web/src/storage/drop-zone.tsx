import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { droppedFiles, type PlacedFile } from './dropped-files';

interface DropZoneProps {
  /** Absent for who may not upload. */
  readonly onFiles: ((files: readonly PlacedFile[]) => void) | undefined;
  readonly children: ReactNode;
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');

/** Takes files and folders that are dropped on it. The buttons of the screen do the same for keyboards. */
export function DropZone({ onFiles, children }: DropZoneProps): ReactNode {
  const [isOver, setIsOver] = useState(false);
  // Each child that the pointer crosses enters and leaves.
  const depth = useRef(0);
  if (onFiles === undefined) return children;
  return (
    <div
      className="relative"
      data-drop
      onDragEnter={(event) => {
        if (!hasFiles(event)) return;
        depth.current++;
        setIsOver(true);
      }}
      onDragLeave={() => {
        depth.current = Math.max(0, depth.current - 1);
        if (depth.current === 0) setIsOver(false);
      }}
      onDragOver={(event) => {
        // Else the browser would open the file in place of the page.
        if (hasFiles(event)) event.preventDefault();
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setIsOver(false);
        void droppedFiles(event.dataTransfer).then(onFiles);
      }}
    >
      {children}
      {isOver && (
        <div className="border-accent bg-accent-soft text-accent-ink absolute inset-0 z-10 grid place-items-center rounded-lg border-2 border-dashed font-medium">
          Drop files or folders to upload them
        </div>
      )}
    </div>
  );
}
