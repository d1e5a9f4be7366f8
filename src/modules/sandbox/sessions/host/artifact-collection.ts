import { type ArtifactError, type ArtifactSink, MAX_ARTIFACTS } from '../../domain/artifacts.js';
import { DeliveryReader } from '../../languages/deliveries.js';
import { type ArtifactsWanted } from './session-process.js';

/** Asks the agent for the first piece within these bounds, or for the next one. */
type AskForPiece = (bounds?: { readonly files: number; readonly bytes: number }) => Promise<Buffer>;

/**
 * Takes the artifacts of a session piece by piece, so that neither this process nor the agent holds a file, and other
 * requests are answered in between. The pieces are untrusted: they are read as those of any program.
 */
export async function collectArtifacts(
  { bytes, withinMs }: ArtifactsWanted,
  sink: ArtifactSink,
  ask: AskForPiece,
): Promise<readonly ArtifactError[]> {
  const reader = new DeliveryReader({ artifactBytes: bytes }, sink);
  const untilMs = performance.now() + withinMs;
  try {
    let piece = await ask({ files: MAX_ARTIFACTS, bytes });
    while (piece.length > 0) {
      await reader.take(piece);
      if (reader.isOver || performance.now() >= untilMs) break;
      piece = await ask();
    }
  } catch {
    // The session has ended, or could not read its files. What came before is whole.
  }
  return (await reader.end()).errors;
}
