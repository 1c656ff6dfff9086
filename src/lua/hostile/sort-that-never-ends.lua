function agent.resolve()
  local list = { 3, 1, 2 }
  table.sort(list, function() while true do end end)
end
