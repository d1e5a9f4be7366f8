/** The starters that a repository can be made from (service document §2); their files are in `templates/`. */
export const TEMPLATES = ['nextjs', 'expo'] as const;
export type TemplateName = (typeof TEMPLATES)[number];
