/** Import this first in a program that can be run directly and must not run on another Node than the pinned one. */
import { runOnPinnedNode } from './pinned-node.mjs';

await runOnPinnedNode();
