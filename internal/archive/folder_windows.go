package archive

// onlyFolder has nothing to add: there are no pipes among files.
const onlyFolder = 0
