function agent.resolve()
  error({ code = 7, why = "full" })
end
