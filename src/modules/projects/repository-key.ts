/**
 * The same for every way to write the address of one repository: those who host them read names in any case, with
 * `.git` or without.
 */
export const repositoryKeyOf = (repoUrl: string): string => repoUrl.replace(/\.git$/, '').toLowerCase();
