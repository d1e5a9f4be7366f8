/** Returns the same key for all spellings of a repository URL: Git hosts ignore case and a trailing `.git`. */
export const repositoryKeyOf = (repoUrl: string): string => repoUrl.replace(/\.git$/, '').toLowerCase();
