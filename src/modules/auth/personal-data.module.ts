import { Module } from '@nestjs/common';
import { PersonalData } from './personal-data.js';

/** The modules of routes import it, so that an export shows the same fields as they do. */
@Module({ providers: [PersonalData], exports: [PersonalData] })
export class PersonalDataModule {}
