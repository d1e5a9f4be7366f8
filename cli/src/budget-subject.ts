/** Ids say by their beginning what they belong to. */
export const subjectOf = (id: string): string => (id.startsWith('prj_') ? `project:${id}` : `key:${id}`);
