/** How long a process may go on with what it remembers of a credential while nothing tells it of changes. */
export const REMEMBERED_SECONDS = 10;
