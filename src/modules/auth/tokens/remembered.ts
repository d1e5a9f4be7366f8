/** How long a process can use a cached credential without hearing of changes. */
export const REMEMBERED_SECONDS = 10;
