/* std_files.h - descriptors 0 to 2 of a program that was started without some of them. */
#ifndef SD_STD_FILES_H
#define SD_STD_FILES_H

/* Takes those that are closed, so that no file or socket opened later gets one of them, and what is meant for standard output
 * or for the log is written into it. Reading and writing them fails as before. First of all in main(). */
void sd_std_files_take(void);

#endif
