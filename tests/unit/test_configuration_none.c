/* In a build without libyaml, every configuration file is refused with the reason. */
#include "configuration/configuration.h"
#include "unit.h"

int main(void)
{
    struct dft_configuration configuration;
    struct dft_allowlist_error error = {0};

    CHECK(!dft_configuration_parse("enable: 1\n", 10, &configuration, &error));
    CHECK_INT(error.line, 0);
    CHECK_CONTAINS(error.message, "built without libyaml");
    CHECK(!dft_configuration_load("/nonexistent", &configuration, &error));
    CHECK_CONTAINS(error.message, "No such file");
    return unit_result();
}
